//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryWireMessages

extension WirePauseRequest {
    init(_ target: PauseTarget, reason: String, length: Duration?) {
        self.init()
        (loader, self.reason) = (target.loader, reason)
        if let length { lengthMilliseconds = UInt64(clamping: length.millisecondsRoundedUp) }
    }

    /// As it is said; whether that can be is decided by the front.
    func value(within bounds: Bounds) throws(CodecError) -> PauseRequest {
        let length = hasLengthMilliseconds ? Duration.milliseconds(Int64(clamping: lengthMilliseconds)) : nil
        return .begin(
            PauseTarget(try bounds.text(loader, "a loader's name")), reason: try bounds.text(reason, "the reason of a pause"),
            length: length)
    }
}

extension WirePauseSummary: Mapped {
    init(_ value: Pause) {
        self.init()
        (loader, by, reason, since) = (value.target.loader, value.by, value.reason, value.since.milliseconds)
        if let time = value.until { until = time.milliseconds }
    }

    func value(within bounds: Bounds) throws(CodecError) -> Pause {
        Pause(
            PauseTarget(try bounds.label(loader, "a loader's name")), by: try bounds.label(by, "a client's label"),
            reason: try bounds.text(reason, "the reason of a pause"), since: WallTime(milliseconds: since),
            until: hasUntil ? WallTime(milliseconds: until) : nil)
    }
}

extension WirePauseChanged: Mapped {
    init(_ value: JournalEntry.PauseChanged) {
        self.init()
        (loader, lengthTime) = (value.target.loader, value.lengthTime)
        if let lasting = value.pause { pause = WireLastingPause(lasting) }
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.PauseChanged {
        let target = PauseTarget(try bounds.label(loader, "a loader's name"))
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
