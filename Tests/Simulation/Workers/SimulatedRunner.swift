//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import GantryAuditRecord
import GantryModel
import GantryPackedColumns
import GantryWorker

/// Runs jobs in virtual time.
struct SimulatedRunner: WorkerRunner {
    unowned let process: WorkerProcess

    func start(_ work: WorkStart) throws {
        try process.check()
        if work.limited != nil, process.failsToRecord() { return process.giveBack(work) }
        process.begin(work)
    }

    func cancel(_ token: WorkToken, because reason: CancelReason) throws {
        try process.check()
        process.cancel(token, because: reason)
    }

    func kill(_ token: WorkToken) throws -> Bool {
        try process.check()
        return process.kill(token)
    }

    func runBulk(_ work: BulkWork, into ended: inout WorkerMessage.Ended) throws -> Int {
        try process.check()
        let world = process.world
        let count = world.random.chance(0.5) ? work.remainingCount : 1 + world.random.below(work.remainingCount)
        let isUnrecorded = !work.limited.isEmpty && process.failsToRecord()
        var starts: [RecordedStart] = []
        for place in work.arguments[work.next...].indices.prefix(count) {
            let row = place.row
            let limited = work.limited[work.jobs[row]]
            if isUnrecorded, limited != nil {
                ended.failures.append(Indexed(index: UInt32(ended.jobs.count), value: WorkerProcess.unrecorded))
                ended.jobs.append(work.jobs[row])
                ended.leases.append(work.leases[row])
                ended.outcomes.append(.returned)
                ended.results.appendEmpty()
                continue
            }
            let number = world.ledger.ranBulk(JobID(work.jobs[row]), marker: Run.number(in: work.arguments[place]), on: process)
            if let limited {
                starts.append(
                    RecordedStart(
                        run: starts.first?.run ?? number, job: JobID(work.jobs[row]), attempt: work.attempts[row], limited: limited,
                        leaseEnd: world.now))
            }
            ended.jobs.append(work.jobs[row])
            ended.leases.append(work.leases[row])
            ended.outcomes.append(.succeeded)
            ended.results.append(Run.bytes(of: number) + Array(repeating: 7, count: world.variation.resultByteCount - 8))
        }
        world.ledger.records(starts, on: process)
        try process.check()
        return count
    }

    func takeReports(into reports: inout [WorkReport]) throws {
        try process.check()
        reports.append(contentsOf: process.reports)
        process.reports.removeAll()
    }
}

/// A worker's connection in a world.
struct SimulatedWorkerTransport: WorkerTransport {
    unowned let process: WorkerProcess

    func wait(until deadline: MonotonicTime, toSend: Bool) throws { try process.check() }

    func receive() throws -> [UInt8]? {
        try process.check()
        return process.endpoint.inbox.popFirst()?.payload
    }

    func send(_ frame: [UInt8]) throws -> Bool {
        try process.check()
        return process.world.network.send(frame, from: process.endpoint)
    }

    func reconnect() throws {
        try process.check()
        process.world.note("\(process.name) reconnects")
        process.world.network.reopen(process.endpoint)
    }
}

/// A worker's clock in a world, and the kernel timer that ends its process.
struct SimulatedWorkerClock: WorkerClock {
    unowned let process: WorkerProcess

    func now() throws -> MonotonicTime {
        try process.check()
        return process.reading(at: process.world.now)
    }

    func armKillTimer(at instant: MonotonicTime) throws {
        try process.check()
        process.armKillTimer(at: process.worldTime(of: instant))
        guard process.isAlive else { throw ProcessDied() }
    }

    func disarmKillTimer() throws {
        try process.check()
        process.armKillTimer(at: nil)
    }
}

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
    /// What it begins with.
    let resumeState: [UInt8]
    /// Whether it has really ended.
    var isOver = false
    var isCancelAsked = false
    /// Whether it goes on for a while though it is cancelled.
    var ignoresCancel = false
    var fails = false
    /// Whether its loader asks to be run again later.
    var snoozes = false
    /// Whether it runs in a process of its own.
    var hasProcess = false

    init(_ number: UInt64, _ start: WorkStart, _ loader: SimulatedLoader, _ marker: UInt64, on worker: WorkerProcess) {
        self.number = number
        self.job = start.job
        self.loader = loader
        self.work = start.feedWork
        self.marker = marker
        self.token = start.token
        self.worker = worker
        self.startedAt = worker.world.now
        self.resumeState = start.resumeState
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

extension Run {
    /// What a feed's job has made; nil for a submitted job.
    func made(_ random: inout SplitMix64) -> FeedResult? {
        guard let work else { return nil }
        let isFound = worker.world.variation.selectionsHold
        var result = FeedResult()
        let count = random.below(100)
        switch work.operation {
        case .load, .merge:
            result.content = object(1, itemCount: UInt64(count))
        case .create:
            result.content = object(1, itemCount: UInt64(count))
            result.itemID = Self.itemID(of: job)
            result.source = .manual
        case .update:
            result.content = object(1, itemCount: UInt64(count))
            result.source = .manual
        case .sort: break
        case .detail:
            if random.chance(0.5) { result.detail = self.result } else { result.detailObject = object(3, itemCount: 0) }
        }
        if work.operation != .detail, work.sort != nil || !work.filter.isEmpty {
            result.order = object(2, itemCount: UInt64(count))
        }
        result.selectionFound = work.itemID == nil || random.chance(0.7) || isFound
        if let list = result.content { keep(work, as: list.digest) }
        return result
    }

    /// The id of the item that a create makes.
    static func itemID(of job: JobID) -> String { "local-\(job)" }

    /// What was saved before is in the new list too, save where a list is fetched.
    private func keep(_ work: FeedWork, as list: ObjectDigest) {
        let base = work.operation == .load ? nil : work.content?.digest
        let isSave = work.operation == .create || work.operation == .update
        worker.world.ledger.saves.make(list, from: base, adding: isSave ? (job.rawValue, marker) : nil)
    }
}

extension Run {
    /// What only one run may hold at a time: the loads of a feed, or the edits of its persistent list.
    var line: String? {
        guard let work else { return nil }
        switch work.operation {
        case .load: return "\(work.key) load"
        case .merge, .create, .update: return "\(work.key) edit"
        case .sort, .detail: return nil
        }
    }
}
