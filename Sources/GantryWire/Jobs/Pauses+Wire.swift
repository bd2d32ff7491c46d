//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryWireMessages

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
