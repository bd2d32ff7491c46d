//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import WorkerKit

/// One real execution of a job: what no protocol can take back.
final class Run {
    /// Unique in the world, from 1; the results that it makes carry it.
    let number: UInt64
    let job: JobID
    let loader: SimulatedLoader
    let work: FeedWork?
    let marker: UInt64
    let token: WorkToken
    unowned let worker: WorkerProcess
    let startedAt: Int64
    /// Whether it has really ended.
    var isOver = false
    var isCancelAsked = false
    /// Whether it goes on for a while though it is cancelled.
    var ignoresCancel = false
    var fails = false

    init(_ number: UInt64, _ start: WorkStart, _ loader: SimulatedLoader, _ marker: UInt64, on worker: WorkerProcess) {
        self.number = number
        self.job = start.job
        self.loader = loader
        self.work = start.feedWork
        self.marker = marker
        self.token = start.token
        self.worker = worker
        self.startedAt = worker.world.now
    }

    /// Eight bytes that name the run.
    var result: [UInt8] { Self.bytes(of: number) }

    static func bytes(of number: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) } }

    /// The number in the first eight bytes; 0 for fewer.
    static func number(in bytes: some Collection<UInt8>) -> UInt64 {
        var number: UInt64 = 0
        var count: UInt64 = 0
        for byte in bytes.prefix(8) {
            number |= UInt64(byte) << (8 * count)
            count += 1
        }
        return count == 8 ? number : 0
    }

    /// A made-up object whose digest names the run that made it.
    func object(_ kind: UInt64, itemCount: UInt64) -> ObjectReference {
        let object = ObjectReference(
            digest: ObjectDigest(words: (number, job.rawValue, kind, 0)), byteCount: itemCount * 40, itemCount: itemCount)
        worker.world.ledger.made(object)
        return object
    }
}
