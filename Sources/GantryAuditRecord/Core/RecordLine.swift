//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

/// One line of a record: what happened, and when by both clocks of the process that wrote it.
package struct RecordLine: Hashable, Sendable {
    /// Nanoseconds since the boot of the machine.
    package var boot: Int64
    /// The wall clock.
    package var wall: WallTime
    /// What happened.
    package var event: Event

    package init(boot: Int64, wall: WallTime, _ event: Event) { (self.boot, self.wall, self.event) = (boot, wall, event) }

    /// What a line states.
    package enum Event: Hashable, Sendable {
        /// A file begins.
        case head(RecordHead)
        /// A job with limits begins, or several of one run begin together.
        case starts([RecordedStart])
        /// The jobs of a run have ended.
        case stop(run: UInt64)
        /// Until then the leases of all that runs hold, in nanoseconds since the boot.
        case lease(until: Int64)
        /// Another process has ended, with all that ran in it: whoever writes this has seen it, as the kernel tells of it.
        case closed(ProcessIdentity, how: String)
        /// A file of another process was removed because the folder had reached its bound; its last line had that hash.
        case removed(file: String, last: String)
        /// Of a later version: it is passed over.
        case unknown
    }
}

/// What stands at the beginning of each file.
package struct RecordHead: Hashable, Sendable {
    /// The format of the lines.
    package var format: Int
    /// Who writes.
    package var writer: RecordWriterName
    /// The label of a worker, for people.
    package var label: String
    /// The process that writes.
    package var process: ProcessIdentity
    /// The machine's name.
    package var host: String
    /// The number of the file among those of its writer, from 1.
    package var number: Int
    /// The hash of the last line of the file before it; zeros for the first.
    package var previous: String
    /// How many lines stand in the files before it.
    package var lines: Int
    /// The other files that were there when it began: one that is gone since was removed.
    package var seen: [String]

    /// The format that this version writes. In the first one each job that began together with others had a line of its own.
    package static let format = 2
    /// What stands for the hash of a line where there is none before.
    package static let noHash = String(repeating: "0", count: 64)

    package init(
        writer: RecordWriterName, label: String, process: ProcessIdentity, host: String, number: Int = 1, previous: String = Self.noHash,
        lines: Int = 0, seen: [String] = [], format: Int = Self.format
    ) {
        (self.writer, self.label, self.process, self.host) = (writer, label, process, host)
        (self.number, self.previous, self.lines, self.seen, self.format) = (number, previous, lines, seen, format)
    }

    /// The boot of the machine.
    package var bootID: String { String(process.namespace.prefix { $0 != "/" }) }
}

/// A job with limits that begins.
package struct RecordedStart: Hashable, Sendable {
    /// Names the run within its process. Jobs of a bulk loader that begin together share one: they run one after another.
    package var run: UInt64
    /// The job.
    package var job: JobID
    /// How often it was granted.
    package var attempt: UInt32
    /// Its lease, its front and its limits.
    package var limited: LimitedRun
    /// Until then the lease holds, in nanoseconds since the boot.
    package var leaseEnd: Int64
    /// When it began, if the line repeats what stands in an earlier file.
    package var since: Int64?

    package init(run: UInt64, job: JobID, attempt: UInt32, limited: LimitedRun, leaseEnd: Int64, since: Int64? = nil) {
        (self.run, self.job, self.attempt, self.limited) = (run, job, attempt, limited)
        (self.leaseEnd, self.since) = (leaseEnd, since)
    }
}

/// What a file is called.
package struct RecordWriterName: Hashable, Sendable {
    /// What the process is.
    package var role: Role
    /// A worker's id; any number that is unique for others.
    package var id: UInt64

    /// Who writes records.
    package enum Role: String, Hashable, Sendable, CaseIterable {
        /// A worker: starts and stops of its jobs.
        case worker
        /// The front: ends of workers' processes.
        case front
        /// `gantry up`: the same.
        case up
    }

    package init(_ role: Role, _ id: UInt64) { (self.role, self.id) = (role, id) }

    /// As it stands in names and lines: `worker-00c0ffee00c0ffee`.
    package var text: String {
        let digits = String(id, radix: 16)
        return "\(role.rawValue)-" + String(repeating: "0", count: 16 - digits.count) + digits
    }

    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let role = Role(rawValue: String(parts[0])), parts[1].utf8.count == 16, let id = UInt64(parts[1], radix: 16)
        else { return nil }
        self.init(role, id)
    }
}
