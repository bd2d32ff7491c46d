//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What the machines of the front share while they decide: the settings, the time, and what follows. Nothing durable is here.
struct TurnContext {
    let settings: FrontSettings
    /// When the event came that is being dealt with.
    private(set) var now: FrontTime
    /// What was decided, in order; see `take`.
    private(set) var actions: [FrontAction] = []
    /// Steps since the start: see `step`.
    private(set) var steps: UInt64 = 0
    /// How often somebody was told `busy` at each bound, for whoever checks the front from outside.
    private(set) var busyCounts: [BusyBound: UInt64] = [:]
    /// How often something was said that changes nothing, by why.
    private(set) var lateCounts: [FrontLateness: UInt64] = [:]
    /// When each deadline is looked at next.
    var deadlines = Deadlines()
    /// What observers of `front` see.
    private(set) var summary: FrontSummary

    init(settings: FrontSettings, now: FrontTime) {
        self.settings = settings
        self.now = now
        summary = FrontSummary(
            front: settings.front, epoch: settings.epoch, startedAt: now.wall, version: settings.version,
            durability: settings.durability.rawValue)
    }

    /// The time of the next event. What is decided from now on goes to the end of `actions`, until `end`.
    mutating func begin(at time: FrontTime, _ actions: inout [FrontAction]) {
        now = time
        swap(&self.actions, &actions)
    }

    /// Hands out what was decided.
    mutating func end(_ actions: inout [FrontAction]) { swap(&self.actions, &actions) }

    /// Decides something.
    mutating func emit(_ action: FrontAction) { actions.append(action) }

    /// Hands an entry that is applied already to the journal, unless this durability leaves it out.
    mutating func journal(_ entry: Fact) {
        if settings.durability == .memory, !entry.traits.survivesMemoryMode { return }
        actions.append(.record(entry))
    }

    /// Counts work, so that a turn ends before it makes others wait: called in each loop over something that grows.
    ///
    /// One step is about a microsecond of an optimised build: a row looked at. Making and encoding one costs `rowSteps`.
    mutating func step(_ count: Int = 1) { steps &+= UInt64(count) }

    /// What a row of a page costs beside the look at it.
    static var rowSteps: Int { 16 }

    /// An owner is looked at by then, or earlier if that was said before.
    mutating func check(_ owner: DeadlineOwner, by deadline: MonotonicTime) { deadlines.insert(owner, by: deadline) }

    /// Changes what observers of `front` see.
    mutating func changeSummary(_ change: (inout FrontSummary) -> Void) {
        change(&summary)
        emit(.changed(.front, key: "front"))
    }

    /// Notes that something was said that changes nothing.
    mutating func noteLate(_ reason: FrontLateness) { lateCounts[reason, default: 0] += 1 }

    /// The same for what workers report, of which observers see how often.
    mutating func noteLateReports(_ reason: FrontLateness, _ count: Int = 1) {
        guard count > 0 else { return }
        lateCounts[reason, default: 0] += UInt64(count)
        changeSummary { $0.lateReports += UInt64(count) }
    }

    /// Notes that somebody is told `busy` at that bound.
    mutating func noteBusy(_ bound: BusyBound) { busyCounts[bound, default: 0] += 1 }

    /// The refusal of a request at a bound; it changes nothing, and after `retryAfter` milliseconds, if that is not 0, it is worth asking again.
    mutating func busy(_ bound: BusyBound, _ text: String, retryAfter: UInt32 = 0) -> Reply {
        noteBusy(bound)
        return .refusal(.busy, text, retryAfter: retryAfter)
    }

    /// Counts what could not be understood: frames that are no envelopes, each once, and messages.
    mutating func noteMalformed(_ count: UInt64 = 1) { changeSummary { $0.malformedMessages += count } }

    /// Counts a message that cannot be taken.
    /// - Parameter error: Why it cannot be read; nil: its kind is not known.
    /// - Returns: what its sender is told.
    mutating func refuseMalformed(_ error: CodecError?) -> Refused {
        // What its sender is told costs what a row does: who sends nothing else would have turns that others wait for.
        step(Self.rowSteps)
        noteMalformed()
        if let error { return Refused(error) }
        let reason = "this front speaks protocol version \(ProtocolVersion.current) and does not know that message"
        return Refused(reason: reason, code: .invalidData)
    }
}
