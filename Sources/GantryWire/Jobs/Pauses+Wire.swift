//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryWireMessages

extension WirePauseRequest {
    init(_ target: PauseTarget, reason: String, length: Duration?) {
        self.init()
        (loader, worker, allLoaders, self.reason) = (target.loader, target.worker, target == .everything, reason)
        if let length { lengthMilliseconds = UInt64(clamping: length.millisecondsRoundedUp) }
    }

    /// As it is said; whether that can be is decided by the front.
    func value(within bounds: Bounds) throws(CodecError) -> PauseRequest {
        let length = hasLengthMilliseconds ? Duration.milliseconds(Int64(clamping: lengthMilliseconds)) : nil
        let target = try bounds.pauseTarget(loader, worker, isOfAll: allLoaders)
        return .begin(target, reason: try bounds.text(reason, "the reason of a pause"), length: length)
    }
}

extension WireResumeRequest {
    init(_ target: PauseTarget) {
        self.init()
        (loader, worker, allLoaders) = (target.loader, target.worker, target == .everything)
    }

    func value(within bounds: Bounds) throws(CodecError) -> PauseTarget {
        try bounds.pauseTarget(loader, worker, isOfAll: allLoaders)
    }
}

extension Bounds {
    /// What a request says that a pause is of. Where nothing is said that this version knows it is not of everything.
    fileprivate func pauseTarget(_ loader: String, _ worker: String, isOfAll: Bool) throws(CodecError) -> PauseTarget {
        guard [!loader.isEmpty, !worker.isEmpty, isOfAll].count(where: \.self) == 1 else {
            throw CodecError(what: "a pause", reason: "it is of a loader, of a worker or of all loaders: say one of them")
        }
        return try pauseTarget(loader, worker)
    }

    /// What a pause is of.
    fileprivate func pauseTarget(_ loader: String, _ worker: String) throws(CodecError) -> PauseTarget {
        guard loader.isEmpty || worker.isEmpty else {
            throw CodecError(what: "a pause", reason: "it is of a loader or of a worker, not of both")
        }
        return PauseTarget(loader: try text(loader, "a loader's name"), worker: try text(worker, "a worker's name"))
    }
}

extension WirePauseSummary: Mapped {
    init(_ value: Pause) {
        self.init()
        (loader, worker) = (value.target.loader, value.target.worker)
        (by, reason, since) = (value.by, value.reason, value.since.milliseconds)
        if let time = value.until { until = time.milliseconds }
    }

    func value(within bounds: Bounds) throws(CodecError) -> Pause {
        Pause(
            try bounds.pauseTarget(loader, worker), by: try bounds.label(by, "a client's label"),
            reason: try bounds.text(reason, "the reason of a pause"), since: WallTime(milliseconds: since),
            until: hasUntil ? WallTime(milliseconds: until) : nil)
    }
}

extension WirePauseChanged: Mapped {
    init(_ value: JournalEntry.PauseChanged) {
        self.init()
        (loader, worker, lengthTime) = (value.target.loader, value.target.worker, value.lengthTime)
        if let lasting = value.pause { pause = WireLastingPause(lasting) }
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.PauseChanged {
        let target = try bounds.pauseTarget(loader, worker)
        return JournalEntry.PauseChanged(target, hasPause ? try pause.value(within: bounds) : nil, lengthTime: lengthTime)
    }
}

extension WireLastingPause: Mapped {
    init(_ value: JournalEntry.LastingPause) {
        self.init()
        (by, reason, since) = (value.by, value.reason, value.since.milliseconds)
        if let time = value.until { until = time }
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.LastingPause {
        JournalEntry.LastingPause(
            by: try bounds.label(by, "a client's label"), reason: try bounds.text(reason, "the reason of a pause"),
            since: WallTime(milliseconds: since), until: hasUntil ? until : nil)
    }
}
