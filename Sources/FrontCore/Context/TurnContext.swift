//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// What the machines of the front share while they decide: the settings, the time, and what follows. Nothing durable is here.
struct TurnContext {
    let settings: FrontSettings
    /// When the event came that is being dealt with.
    private(set) var now: FrontTime
    /// What was decided, in order, from `begin` to `end`.
    private var actions = FrontActions()
    /// The event that is being dealt with, or was last.
    private(set) var event = EventID.start
    /// Steps since the start: see `step`.
    private(set) var steps: UInt64 = 0
    /// How many refusals with `busy` each bound has caused, for checks from outside.
    private(set) var busyCounts: [BusyBound: UInt64] = [:]
    /// How often something was said that changes nothing, by why.
    private(set) var ignoredCounts: [FrontIgnoredReason: UInt64] = [:]
    /// When each deadline is looked at next.
    private(set) var deadlines = Deadlines<DeadlineOwner>()
    /// What observers of `front` see.
    private(set) var summary: FrontSummary
    /// Whether the disk is full, as observers see it: nothing that makes new work is accepted then, nothing is granted, and no refusal is written.
    /// It is stored, for the loop asks in each turn, and what is computed would copy the whole machine.
    private(set) var storageIsFull = false

    init(settings: FrontSettings, now: FrontTime) {
        self.settings = settings
        self.now = now
        summary = FrontSummary(
            front: settings.front, epoch: settings.epoch, startedAt: now.wall, version: settings.version,
            durability: JobDurability(rawValue: settings.durability.rawValue))
    }

    /// The time of the next event. What is decided from now on goes to the end of `actions` with its number, until `end`.
    mutating func begin(_ event: EventID, at time: FrontTime, _ actions: inout FrontActions) {
        (self.event, now) = (event, time)
        // Swapped, not copied: the loop's buffer keeps its memory from turn to turn.
        swap(&self.actions, &actions)
        self.actions.begin(event)
    }

    /// Hands out what was decided.
    mutating func end(_ actions: inout FrontActions) { swap(&self.actions, &actions) }

    /// Decides something.
    mutating func emit(_ action: consuming FrontAction) { actions.append(action) }

    /// Hands an entry that was applied to the journal, unless this durability leaves it out.
    mutating func journal(_ entry: consuming JournalEntry, _ applied: EntryTurn) {
        if settings.durability == .memory, !entry.traits.survivesMemoryMode { return }
        actions.append(.record(entry))
    }

    /// Counts work, so that a turn ends before it makes others wait: called in each loop over something that grows.
    ///
    /// One step is about a microsecond of an optimized build: a row looked at. Making and encoding one costs `rowSteps`.
    mutating func step(_ count: Int = 1) { steps &+= UInt64(count) }

    /// What a row of a page costs beside the look at it.
    static var rowSteps: Int { 16 }

    /// Bytes that are copied and sent in a step.
    static var copiedPerStep: Int { 1_024 }

    /// Looks at entries or links of a line in a step: one takes some 15 ns of an optimized build.
    static var looksPerStep: Int { 64 }

    /// Jobs of a hand, or keys of a heap, that are gone through in a step: each lies somewhere else in memory, so it takes some 60 ns.
    static var scansPerStep: Int { 16 }

    /// An owner is looked at by then, or earlier if that was said before.
    mutating func check(_ owner: DeadlineOwner, by deadline: MonotonicTime) { changeDeadlines { $0.insert(owner, by: deadline) } }

    /// An owner is looked at when the wall clock shows that, or earlier if that was said before.
    mutating func check(_ owner: DeadlineOwner, at point: WallTime) { changeDeadlines { $0.insert(owner, at: point) } }

    /// When something is to be looked at, at the latest; nil: never.
    var nextDeadline: MonotonicTime? { mutating get { deadlines.next(at: now) } }

    /// Finds what is due by an instant; false: nothing is.
    mutating func passDeadlines(to instant: MonotonicTime) -> Bool {
        guard let next = nextDeadline, next <= now.monotonic else { return false }
        let passed = max(.zero, now.monotonic.duration(since: instant))
        // Both clocks of one instant: what had come by the time that was read is judged by the wall clock of then.
        let wall = now.wall.advanced(by: .milliseconds(-passed.wholeMilliseconds))
        changeDeadlines { $0.pass(to: FrontTime(monotonic: instant, wall: wall)) }
        return true
    }

    /// Owners of a kind that are due and not yet looked at.
    mutating func takeDue(_ kind: DeadlineOwner.Kind) -> [DeadlineOwner] { deadlines.take(kind) }

    /// What is due of a kind waits for so long at least.
    mutating func holdDeadlines(of kind: DeadlineOwner.Kind, for length: Duration) {
        deadlines.hold(kind, until: now.monotonic.advanced(by: length))
    }

    /// An owner no longer exists: its deadline is removed.
    mutating func forget(_ owner: DeadlineOwner) { changeDeadlines { $0.remove(owner) } }

    /// Moves items of the heap, which costs steps.
    private mutating func changeDeadlines(_ change: (inout Deadlines<DeadlineOwner>) -> Void) {
        let moves = deadlines.moves
        change(&deadlines)
        step(Int(deadlines.moves &- moves))
    }

    /// Changes what observers of `front` see.
    mutating func changeSummary(_ change: (inout FrontSummary) -> Void) {
        change(&summary)
        emit(.changed(.front, key: ItemKey.only(of: .front)))
    }

    /// The disk is full, or has room again; observers of `front` see it.
    /// - Returns: whether that is new, so that all waiting jobs may wait for another reason.
    mutating func noteStorage(isFull: Bool) -> Bool {
        guard storageIsFull != isFull else { return false }
        storageIsFull = isFull
        changeSummary { $0.storage = isFull ? .full : .ok }
        return true
    }

    /// Notes that something was said that changes nothing.
    mutating func noteIgnored(_ reason: FrontIgnoredReason) { ignoredCounts[reason, default: 0] += 1 }

    /// The same for what workers report, of which observers see how often.
    mutating func noteLateReports(_ reason: FrontIgnoredReason, _ count: Int = 1) {
        guard count > 0 else { return }
        ignoredCounts[reason, default: 0] += UInt64(count)
        changeSummary { $0.lateReports += UInt64(count) }
    }

    /// Counts a refusal with `busy` at that bound.
    mutating func noteBusy(_ bound: BusyBound) { busyCounts[bound, default: 0] += 1 }

    /// The refusal of a request at a bound; it changes nothing, and after `retryAfter`, if that is not zero, it is worth asking again.
    mutating func busy(_ bound: BusyBound, _ text: String, retryAfter: Duration = .zero) -> Reply {
        noteBusy(bound)
        return .refusal(.busy, text, retryAfter: retryAfter)
    }

    /// Counts what could not be understood: frames that are no envelopes, each once, and messages.
    mutating func noteMalformed(_ count: UInt64 = 1) { changeSummary { $0.malformedMessages += count } }

    /// Counts a frame that is no envelope, and answers its sender, if it is known.
    mutating func refuseFrame(of peer: PeerID, on channel: FrontChannel, _ error: CodecError) {
        noteMalformed()
        guard peer != .none else { return }
        let reason = "\(error.description); this front supports protocol version \(ProtocolVersion.current): see PROTOCOL.md"
        let refused = Refused(reason: reason, code: error.code)
        switch channel {
        case .clients: emit(.send(peer, .none, .refused(refused)))
        case .workers: emit(.sendToWorker(peer, .refused(refused)))
        case .subscriptions: break
        }
    }

    /// Counts a message that cannot be taken.
    /// - Parameter error: Why it cannot be read; nil: its kind is not known.
    /// - Returns: the answer to its sender.
    mutating func refuseMalformed(_ error: CodecError?) -> Refused {
        // The answer costs as much as a row: a peer that sends only such messages would make long turns for all others.
        step(Self.rowSteps)
        noteMalformed()
        if let error { return Refused(error) }
        let reason = "this front supports protocol version \(ProtocolVersion.current) and does not know that message"
        return Refused(reason: reason, code: .invalidData)
    }
}

// The refusal while the disk is full, the same in all machines.
extension TurnContext {
    /// Why nothing can be written now that makes new work; nil: it can.
    var refusalOfStorage: Reply? {
        guard storageIsFull else { return nil }
        return .refusal(.storageFull, "\(settings.fullDiskText): free some space; nothing accepted is lost", retryAfter: RetryPause.usual)
    }
}

/// Why something that was said to the front changes nothing: it came too late, twice, or from somebody whose word it is not. Each is counted.
package enum FrontIgnoredReason: String, Sendable, CaseIterable {
    /// The session has ended, or never was.
    case sessionEnded
    /// The session belongs to another connection, or to none.
    case notResumed
    /// A worker sent something without a registration of this epoch, under an older one, or by another connection.
    case notRegistered
    /// A registration came again after later messages of the worker.
    case repeatedRegistration
    /// A renewal is no newer than one that was read.
    case oldRenewal
    /// A report, a refusal or progress is about a lease that the worker does not hold, or holds no longer; or one report names a job twice.
    case leaseNotHeld

    // What has become of a process or of an owner.

    /// A process has ended that no worker is of any more.
    case processForgotten
    /// A deadline has come of a worker or session that is not there any more.
    case ownerForgotten

    // What has become of a feed's job.

    /// Its feed waits for another load, or for none: another one has taken its place, or the feed was reset.
    case loadNotAwaited
    /// Its view waits for another order, or for none.
    case orderNotAwaited
    /// Its view waits for another detail, or for none, and does not show the item of this one.
    case detailNotAwaited
    /// It was forgotten in the same event.
    case jobForgotten
    /// It is a save from before a reset of its feed.
    case feedReset
    /// It is a create whose item is not selected, for somebody has selected since it was asked for.
    case selectedSince

    // What is said of feeds, views and objects.

    /// A job, a deadline or an attachment is of a feed that is not there any more.
    case feedForgotten
    /// The same of a view.
    case viewForgotten
    /// A session detaches from a view that it is not attached to.
    case viewNotAttached
    /// No feed and no view names an object that is damaged.
    case objectNotNamed
    /// So many damaged objects are under way that this one has to be found again.
    case tooManyDamaged
    /// A damaged object was stored again before the feed that names it was looked at.
    case storedSince
    /// A bundle of ended jobs was read that nobody waits for.
    case bundleNotAwaited

    // What is said of topics.

    /// A part was read of a snapshot of which nothing is left to be sent: that part was one of the last, or the snapshot has ended.
    case snapshotSent
    /// A part was read of a topic that there is not.
    case topicUnknown
    /// A topic begins to be observed that is observed already.
    case topicObserved
    /// A topic is observed no more that was not: a subscription beyond the bound ends, or one of an earlier epoch.
    case topicNotObserved
}
