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

extension RecordLine {
    /// The line as JSON, in one fixed order: the hash counts its bytes.
    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.open("{")
        switch event {
        case .head(let head): head.write(to: &writer)
        case .starts(let starts): RecordedStart.write(starts, to: &writer)
        case .stop(let run):
            writer.field("kind", "stop")
            writer.whole("run", run)
        case .lease(let end):
            writer.field("kind", "lease")
            writer.field("leaseEnd", Int(end))
        case .closed(let process, let how):
            writer.field("kind", "closed")
            process.write(to: &writer)
            writer.field("how", how)
        case .removed(let file, let last):
            writer.field("kind", "removed")
            writer.field("file", file)
            writer.field("last", last)
        case .unknown: writer.field("kind", "unknown")
        }
        writer.field("boot", Int(boot))
        writer.field("wall", Int(wall.milliseconds))
        writer.close("}")
        return writer.bytes
    }
}

extension RecordHead {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.field("kind", "head")
        writer.field("format", format)
        writer.field("writer", self.writer.text)
        writer.field("label", label)
        writer.field("host", host)
        process.write(to: &writer)
        writer.field("number", number)
        writer.field("previous", previous)
        writer.field("lines", lines)
        writer.key("seen")
        writer.open("[")
        for file in seen { writer.string(file) }
        writer.close("]")
    }
}

extension RecordedStart {
    /// Jobs that begin together share what they have in common, for each has a line's cost otherwise: columns of jobs, and what of them is of which
    /// limits. A single one has its own words.
    fileprivate static func write(_ starts: [RecordedStart], to writer: inout JSONWriter) {
        guard let first = starts.first else { return }
        writer.field("kind", starts.count == 1 ? "start" : "starts")
        writer.whole("run", first.run)
        if starts.count == 1 {
            writer.field("job", first.job.description)
            writer.field("attempt", Int(first.attempt))
            writer.field("lease", first.limited.lease.description)
        } else {
            writer.column("jobs", starts) { $0.string($1.job.description) }
            if starts.contains(where: { $0.attempt != 1 }) { writer.column("attempts", starts) { $0.raw(String($1.attempt)) } }
            writer.column("leases", starts) { $0.string($1.limited.lease.description) }
        }
        writer.field("leaseEnd", Int(first.leaseEnd))
        if let since = first.since { writer.field("since", Int(since)) }
        guard starts.count > 1 else { return first.limited.write(to: &writer) }
        var sets: [LimitedRun] = []
        var places: [Int] = []
        for start in starts {
            if !(sets.last?.isAlike(start.limited) ?? false) { sets.append(start.limited) }
            places.append(sets.count - 1)
        }
        if sets.count > 1 { writer.column("set", places) { $0.raw(String($1)) } }
        writer.column("sets", sets) {
            $0.open("{")
            $1.write(to: &$0)
            $0.close("}")
        }
    }
}

extension LimitedRun {
    /// Whether all but the lease is the same.
    fileprivate func isAlike(_ other: LimitedRun) -> Bool { front == other.front && takenAt == other.takenAt && limits == other.limits }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.field("front", front.description)
        if takenAt != 0 { writer.field("takenAt", Int(takenAt)) }
        writer.column("limits", limits) { $1.write(to: &$0) }
    }
}

extension GrantedLimit {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.open("{")
        writer.field("limit", key.limit)
        if !key.value.isEmpty { writer.field("value", key.value) }
        if weight != 1 { writer.field("weight", Int(weight)) }
        if let capacity = rule?.capacity { writer.field("capacity", Int(capacity)) }
        if let refill = rule?.refill {
            writer.field("count", Int(refill.count))
            writer.field("periodMilliseconds", Int(refill.period.wholeMilliseconds))
            writer.field("burst", Int(refill.burst))
            writer.field("ratedFrom", String(ratedFrom))
        }
        writer.close("}")
    }
}

extension ProcessIdentity {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.field("namespace", namespace)
        writer.field("process", Int(number))
        writer.whole("processStart", start)
    }
}

extension JSONWriter {
    /// A member with a list.
    fileprivate mutating func column<Value>(_ name: String, _ values: [Value], _ write: (inout JSONWriter, Value) -> Void) {
        key(name)
        open("[")
        for value in values { write(&self, value) }
        close("]")
    }

    /// A member with a number that has no sign.
    fileprivate mutating func whole(_ name: String, _ value: UInt64) {
        key(name)
        raw(String(value))
    }
}
