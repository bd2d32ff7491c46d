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
        case .start(let start): start.write(to: &writer)
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
    fileprivate func write(to writer: inout JSONWriter) {
        writer.field("kind", "start")
        writer.whole("run", run)
        writer.field("job", job.description)
        writer.field("attempt", Int(attempt))
        writer.field("lease", limited.lease.description)
        writer.field("leaseEnd", Int(leaseEnd))
        writer.field("front", limited.front.description)
        if limited.takenAt != 0 { writer.field("takenAt", Int(limited.takenAt)) }
        if let since { writer.field("since", Int(since)) }
        writer.key("limits")
        writer.open("[")
        for limit in limited.limits { limit.write(to: &writer) }
        writer.close("]")
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
    /// A member with a number that has no sign.
    fileprivate mutating func whole(_ name: String, _ value: UInt64) {
        key(name)
        raw(String(value))
    }
}
