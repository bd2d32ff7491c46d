//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

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
