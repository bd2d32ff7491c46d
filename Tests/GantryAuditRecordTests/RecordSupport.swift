//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryModel
import GantryPlatform

@testable import GantryAuditRecord

/// Runs as records state them, by hand.
enum Made {
    static let front = FrontID(7)

    static func limits(_ capacity: UInt32?, _ name: String = "api", weight: UInt32 = 1, refill: LimitRefill? = nil, from: UInt64 = 1)
        -> [GrantedLimit]
    {
        [GrantedLimit(LimitKey(name), LimitRule(capacity: capacity, refill: refill), weight: weight, ratedFrom: from)]
    }

    /// A job to begin; its lease has the number of the job.
    static func job(_ number: UInt64, _ limits: [GrantedLimit], front: FrontID = front, takenAt: Int64 = 0) -> RecordWriter.Job {
        (JobID(number), 1, LimitedRun(lease: LeaseID(number), front: front, limits: limits, takenAt: takenAt))
    }

    /// A run of one job, in seconds.
    static func run(
        _ number: UInt64, _ from: Double, _ to: Double, _ limits: [GrantedLimit], ending: AuditedRun.Ending = .stopped,
        sureTo: Double? = nil,
        front: FrontID = front, takenAt: Int64 = 0
    ) -> AuditedRun {
        let job = job(number, limits, front: front, takenAt: takenAt)
        let start = RecordedStart(run: number, job: job.job, attempt: 1, limited: job.limited, leaseEnd: 0)
        return AuditedRun(
            label: "w", writer: RecordWriterName(.worker, 1), process: ProcessIdentity(namespace: "boot/1", number: 9, start: 1),
            starts: [start], start: seconds(from), end: seconds(to), sureEnd: seconds(sureTo ?? to), ending: ending)
    }

    static func seconds(_ count: Double) -> Int64 { Int64(count * 1e9) }

    static func audit(_ runs: [AuditedRun], from: Double = 0, to: Double = 100) -> LimitAudit {
        LimitAudit(runs.sorted { $0.start < $1.start }, from: seconds(from), to: seconds(to))
    }
}

/// The files of a folder of records.
struct RecordFiles {
    let folder: String

    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() }

    func bytes(_ name: String) -> [UInt8] { FileManager.default.contents(atPath: "\(folder)/\(name)").map(Array.init) ?? [] }

    func write(_ bytes: [UInt8], _ name: String) throws { try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/\(name)")) }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(folder)/\(name)") }

    func read() throws -> RecordedRuns { try RecordFolder.read(folder) }

    /// What is wrong with them; nil: nothing.
    var fault: RecordFault? {
        do throws(RecordFault) { _ = try RecordFolder.read(folder) } catch { return error }
        return nil
    }
}
