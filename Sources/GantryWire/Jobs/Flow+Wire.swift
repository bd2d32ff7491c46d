//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryWireMessages

// What holds jobs back: limits and pauses.

extension WireLimitKey: Mapped {
    init(_ value: LimitKey) {
        self.init()
        (limit, self.value) = (value.limit, value.value)
        if value.weight != 1 { weight = value.weight }
    }

    func value(within bounds: Bounds) throws(CodecError) -> LimitKey {
        LimitKey(
            try bounds.label(limit, "a limit's name"), value: try bounds.label(value, "a limit's value"), weight: weight == 0 ? 1 : weight)
    }
}

extension WireLimitRule {
    init(_ value: LimitRule) {
        self.init()
        capacity = value.capacity ?? 0
        if let refill = value.refill { self.refill = WireLimitRefill(refill) }
    }

    /// As it is said; whether that can be is decided by the front.
    var value: LimitRule { LimitRule(capacity: capacity == 0 ? nil : capacity, refill: hasRefill ? refill.value : nil) }
}

extension WireGrantedLimits: Mapped {
    init(_ value: [GrantedLimit]) {
        self.init()
        limits = value.map(WireGrantedLimit.init)
    }

    func value(within bounds: Bounds) throws(CodecError) -> [GrantedLimit] { try bounds.values(limits, "limits of a granted job") }
}

extension WireGrantedLimit: Mapped {
    init(_ value: GrantedLimit) {
        self.init()
        key = WireLimitKey(value.key)
        if let rule = value.rule { self.rule = WireLimitRule(rule) }
        (weight, ratedFrom) = (value.weight == 1 ? 0 : value.weight, value.ratedFrom)
    }

    func value(within bounds: Bounds) throws(CodecError) -> GrantedLimit {
        GrantedLimit(
            try key.value(within: bounds), hasRule ? rule.value : nil, weight: weight == 0 ? 1 : weight, ratedFrom: ratedFrom)
    }
}

extension WireLimitRefill {
    init(_ value: LimitRefill) {
        self.init()
        (count, burst) = (value.count, value.burst)
        periodMilliseconds = UInt64(clamping: value.period.millisecondsRoundedUp)
        refusesBeyond = value.beyond == .refuse
    }

    var value: LimitRefill {
        LimitRefill(
            count, per: .milliseconds(Int64(clamping: periodMilliseconds)), burst: burst == 0 ? nil : burst,
            beyond: refusesBeyond ? .refuse : .wait)
    }
}

extension WireLimitFull {
    init(_ key: LimitKey, _ shortage: LimitShortage) {
        self.init()
        self.key = WireLimitKey(key)
        switch shortage {
        case .permits(let inUse, let capacity): (self.inUse, self.capacity) = (inUse, capacity)
        case .tokens(let next): nextTokenAt = next.milliseconds
        case .reserved(let job): reservedFor = job.rawValue
        }
    }

    func value(within bounds: Bounds) throws(CodecError) -> WaitReason {
        let key = try key.value(within: bounds)
        if reservedFor != 0 { return .limitFull(key, .reserved(for: JobID(reservedFor))) }
        if capacity != 0 { return .limitFull(key, .permits(inUse: inUse, capacity: capacity)) }
        return .limitFull(key, .tokens(next: WallTime(milliseconds: nextTokenAt)))
    }
}

extension WireLimitSummary: Mapped {
    init(_ value: LimitSummary) {
        self.init()
        (name, rule) = (value.name, WireLimitRule(value.rule))
        (inUse, waiting, valueCount) = (value.inUse, value.waiting, value.valueCount)
        values = value.values.map(WireLimitValue.init)
        fullAt = value.fullAt?.milliseconds ?? 0
        if let rule = value.configured { configured = WireLimitRule(rule) }
    }

    func value(within bounds: Bounds) throws(CodecError) -> LimitSummary {
        var summary = LimitSummary(name: try bounds.label(name, "a limit's name"), rule: rule.value)
        (summary.inUse, summary.waiting, summary.valueCount) = (inUse, waiting, valueCount)
        if fullAt != 0 { summary.fullAt = WallTime(milliseconds: fullAt) }
        if hasConfigured { summary.configured = configured.value }
        for value in values {
            let named = try bounds.label(value.value, "a limit's value")
            let fullAt = value.fullAt == 0 ? nil : WallTime(milliseconds: value.fullAt)
            summary.values.append(LimitValue(named, inUse: value.inUse, waiting: value.waiting, fullAt: fullAt))
        }
        return summary
    }
}

extension WireLimitValue {
    init(_ value: LimitValue) {
        self.init()
        (self.value, inUse, waiting, fullAt) = (value.value, value.inUse, value.waiting, value.fullAt?.milliseconds ?? 0)
    }
}

extension WireLimitChanged: Mapped {
    init(_ value: JournalEntry.LimitChanged) {
        self.init()
        name = value.name
        if let rule = value.rule { self.rule = WireLimitRule(rule) }
        (lengthTime, level, ratedFrom) = (value.lengthTime, value.level, value.ratedFrom)
        if let rule = value.configured { configured = WireLimitRule(rule) }
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.LimitChanged {
        var changed = JournalEntry.LimitChanged(try bounds.label(name, "a limit's name"), hasRule ? rule.value : nil)
        (changed.lengthTime, changed.level, changed.ratedFrom) = (lengthTime, level, ratedFrom)
        if hasConfigured { changed.configured = configured.value }
        return changed
    }
}

extension WireTokensChanged: Mapped {
    init(_ value: JournalEntry.TokensChanged) {
        self.init()
        levels = value.levels.map(WireTokenLevel.init)
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.TokensChanged {
        JournalEntry.TokensChanged(try bounds.values(levels, "buckets of limits"))
    }
}

extension WireTokenLevel: Mapped {
    init(_ value: JournalEntry.TokenLevel) {
        self.init()
        (key, level, lengthTime) = (WireLimitKey(value.key), value.level, value.lengthTime)
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.TokenLevel {
        JournalEntry.TokenLevel(try key.value(within: bounds), level: level, lengthTime: lengthTime)
    }
}

extension WirePauseRequest {
    init(_ target: PauseTarget, reason: String, length: Duration?) {
        self.init()
        (loader, group, worker, allLoaders) = (target.loader, target.group, target.worker, target == .everything)
        self.reason = reason
        if let length { lengthMilliseconds = UInt64(clamping: length.millisecondsRoundedUp) }
    }

    /// As it is said; whether that can be is decided by the front.
    func value(within bounds: Bounds) throws(CodecError) -> PauseRequest {
        let length = hasLengthMilliseconds ? Duration.milliseconds(Int64(clamping: lengthMilliseconds)) : nil
        let target = try bounds.pauseTarget(loader, group, worker, isOfAll: allLoaders)
        return .begin(target, reason: try bounds.text(reason, "the reason of a pause"), length: length)
    }
}

extension WireResumeRequest {
    init(_ target: PauseTarget) {
        self.init()
        (loader, group, worker, allLoaders) = (target.loader, target.group, target.worker, target == .everything)
    }

    func value(within bounds: Bounds) throws(CodecError) -> PauseTarget {
        try bounds.pauseTarget(loader, group, worker, isOfAll: allLoaders)
    }
}

extension Bounds {
    /// What a request says that a pause is of. Where nothing is said that this version knows it is not of everything.
    fileprivate func pauseTarget(
        _ loader: String, _ group: String, _ worker: String, isOfAll: Bool
    ) throws(CodecError) -> PauseTarget {
        guard [!loader.isEmpty, !group.isEmpty, !worker.isEmpty, isOfAll].count(where: \.self) == 1 else {
            throw CodecError(what: "a pause", reason: "it is of a loader, of a group, of a worker or of all loaders: say one of them")
        }
        return try pauseTarget(loader, group, worker)
    }

    /// What a pause is of.
    fileprivate func pauseTarget(_ loader: String, _ group: String, _ worker: String) throws(CodecError) -> PauseTarget {
        guard [loader, group, worker].count(where: { !$0.isEmpty }) < 2 else {
            throw CodecError(what: "a pause", reason: "it is of a loader, of a group or of a worker, not of several")
        }
        return PauseTarget(
            loader: try text(loader, "a loader's name"), group: try text(group, "a group's name"),
            worker: try text(worker, "a worker's name"))
    }

    /// Who is in a group.
    fileprivate func members(_ loaders: [String], _ feeds: [String]) throws(CodecError) -> GroupMembers {
        GroupMembers(
            loaders: Set(try texts(loaders, "the loaders of a group")), feeds: Set(try texts(feeds, "the feeds of a group")))
    }
}

extension WirePauseSummary: Mapped {
    init(_ value: Pause) {
        self.init()
        (loader, group, worker) = (value.target.loader, value.target.group, value.target.worker)
        (by, reason, since) = (value.by, value.reason, value.since.milliseconds)
        (loaders, feeds) = (value.loaders, value.feeds)
        if let time = value.until { until = time.milliseconds }
    }

    func value(within bounds: Bounds) throws(CodecError) -> Pause {
        Pause(
            try bounds.pauseTarget(loader, group, worker), by: try bounds.label(by, "a client's label"),
            reason: try bounds.text(reason, "the reason of a pause"), since: WallTime(milliseconds: since),
            until: hasUntil ? WallTime(milliseconds: until) : nil, members: try bounds.members(loaders, feeds))
    }
}

extension WirePauseChanged: Mapped {
    init(_ value: JournalEntry.PauseChanged) {
        self.init()
        (loader, group, worker) = (value.target.loader, value.target.group, value.target.worker)
        lengthTime = value.lengthTime
        if let lasting = value.pause { pause = WireLastingPause(lasting) }
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.PauseChanged {
        let target = try bounds.pauseTarget(loader, group, worker)
        return JournalEntry.PauseChanged(target, hasPause ? try pause.value(within: bounds) : nil, lengthTime: lengthTime)
    }
}

extension WireLastingPause: Mapped {
    init(_ value: JournalEntry.LastingPause) {
        self.init()
        (by, reason, since) = (value.by, value.reason, value.since.milliseconds)
        (loaders, feeds) = (value.members.loaders.sorted(), value.members.feeds.sorted())
        if let time = value.until { until = time }
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.LastingPause {
        JournalEntry.LastingPause(
            by: try bounds.label(by, "a client's label"), reason: try bounds.text(reason, "the reason of a pause"),
            since: WallTime(milliseconds: since), until: hasUntil ? until : nil, members: try bounds.members(loaders, feeds))
    }
}
