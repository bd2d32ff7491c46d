//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
package import GantryModel

/// All rules of one worker: registration, leases, slots, the line of bulk jobs, cancels, outcomes, drain.
///
/// The lease of all its work ends together, one lease time after the *sending* of the newest renewal that the front is known to have read.
/// Work is stopped a margin before that, forgotten at it, and ended by the kernel shortly after it.
package struct WorkerMachine {
    /// How the worker stands to the front.
    enum Connection: Hashable, Sendable {
        /// Not registered; registers until `registered` comes. Work of an earlier registration goes on until its lease ends. Moves to
        /// unconfirmed, ended.
        case registering
        /// Registered, but an older registration of ours may still be on its way, so grants wait. Moves to confirmed when a renewal is
        /// answered, to registering when the front does not know it or was silent for a lease, and to ended.
        case unconfirmed
        /// Registered, and a renewal was answered: no older registration is on its way. Moves to registering as unconfirmed does, to ended.
        case confirmed
        /// Sent close or was refused. Final.
        case ended

        /// Whether the front has taken the registration: renewals and reports go to it.
        var isRegistered: Bool { self == .unconfirmed || self == .confirmed }
    }

    /// What the worker is there for.
    enum Mode: Hashable, Sendable {
        /// It takes jobs. Moves to draining, stopping.
        case serving
        /// It gives new jobs back, stops what runs when its grace is over, and ends when it holds nothing. Moves to stopping.
        case draining
        /// It has cancelled all work and ends with the last of it. Final.
        case stopping
    }

    let settings: WorkerSettings
    let loaderIndexes: [String: UInt32]

    var connection = Connection.registering
    var mode = Mode.serving
    var front = FrontID.none
    /// The epoch in which the worker was last registered.
    package internal(set) var epoch = Epoch.none
    /// The last registration.
    package internal(set) var registrationNumber = RegistrationNumber.none
    var leaseLength: Duration = .seconds(5)
    var renewalPause: Duration = .seconds(1)

    /// The earliest registration that the front may have read since its last answer to a renewal.
    var registerSentAt: MonotonicTime?
    var lastRegisterAt = MonotonicTime(nanoseconds: 0)
    var renewals = InFlightRenewals()
    var lastAnswered: UInt64 = 0
    /// When the next registration or renewal is due.
    var nextRenewalAt = MonotonicTime(nanoseconds: 0)
    /// When all work must have ended.
    var leaseEnd = MonotonicTime(nanoseconds: 0)
    /// When a registered worker that received nothing reregisters.
    var silentAt = MonotonicTime.distantFuture

    /// Why the front does not take the worker for now; nil: it does, or has not said so.
    package internal(set) var refusal: Refused?
    var slots: [Slot?]
    var lastToken: UInt64 = 0
    var line: Deque<BulkWork> = []
    var lineCount = 0
    var arriving: [WorkerBoundMessage.Grant] = []
    var received = ReceivedGrants()
    /// How far the front's envelopes were read under this registration: see `WorkerBoundEnvelope.sentBelow`.
    var readBelow = LeaseID.none
    var cancels: RememberedCancels
    var retained: RetainedReports
    /// When work is stopped that has not ended by itself since the drain began.
    var graceEnds = GraceEnds()
    /// What the drain comes to, as its newest cause began; nil: there is none that gives work a grace.
    package internal(set) var drainOutlook: DrainOutlook?
    var armedAt: MonotonicTime?
    /// When the kernel ends the process because of work that does not stop; nil: all work does.
    var endsAt: MonotonicTime?
    /// The first job that the worker ends because of; nil: it does not.
    package internal(set) var endsBecauseOf: JobID?

    /// A worker that holds nothing and is about to register.
    package init(_ settings: WorkerSettings) {
        self.settings = settings
        slots = Array(repeating: nil, count: settings.slots)
        cancels = RememberedCancels(capacity: settings.rememberedCancels)
        retained = RetainedReports(reportByteCount: settings.reportByteCount)
        var indexes: [String: UInt32] = [:]
        for (index, loader) in settings.loaders.enumerated() { indexes[loader.name] = UInt32(index) }
        loaderIndexes = indexes
    }

    /// This worker process.
    package var worker: WorkerID { settings.worker }

    /// Whether the worker has ended: it wants nothing more.
    package var hasEnded: Bool { connection == .ended }

    /// Whether something runs or is about to, so that the kernel must watch.
    package var isBusy: Bool { lineCount > 0 || (connection == .confirmed && !arriving.isEmpty) || slots.contains { $0 != nil } }

    /// How long before the end of the lease all work is cancelled: 2 s, which most work takes to stop and the kernel's timer must never cut
    /// short, and of a shorter lease two fifths, so that most of it is left for work.
    var margin: Duration { min(Self.longestMargin, leaseLength * 2 / 5) }

    private static var longestMargin: Duration { .seconds(2) }

    /// When work begins to be stopped and nothing starts any more.
    var stopAt: MonotonicTime { leaseEnd.advanced(by: .zero - margin) }

    /// When the machine next wants a turn though nothing was received.
    package var nextDeadline: MonotonicTime {
        guard !hasEnded else { return .distantFuture }
        // At once: bulk jobs run in the turns themselves.
        if lineCount > 0, connection.isRegistered { return MonotonicTime(nanoseconds: 0) }
        var next = nextRenewalAt
        if connection.isRegistered { next = min(next, silentAt) }
        for case let slot? in slots {
            switch slot.state {
            case .running: next = min(next, stopAt, slot.timesOutAt, graceEnds.end(of: slot))
            case .cancelled, .interrupted, .timedOut: next = min(next, leaseEnd, slot.stopBy)
            case .abandoned: break
            }
            if slot.progress != nil, connection.isRegistered { next = min(next, slot.progressDue) }
            if !slot.log.isEmpty, connection.isRegistered { next = min(next, slot.logDue) }
        }
        return lineCount > 0 ? min(next, stopAt, graceEnds.repeatable) : next
    }

    /// Decides what follows from `event`. The only function that changes the worker's state.
    /// - Parameters:
    ///   - now: read after the event happened.
    ///   - actions: receives what is to be done, in order.
    package mutating func handle(_ event: WorkerEvent, at now: MonotonicTime, into actions: inout [WorkerAction]) {
        guard !hasEnded else {
            // Messages may still have been on their way when it ended.
            if case .received = event { actions.append(.ignored(.ended)) }
            return
        }
        switch event {
        case .received(let envelope):
            for message in envelope.messages { receive(message, of: envelope.front, envelope.epoch, at: now, into: &actions) }
            // Behind its messages, as what it says is that they were taken.
            noteRead(envelope)
        case .unreadable(let error): refuse([], error.code, error.description, into: &actions)
        case .reported(let report): workReported(report, at: now, into: &actions)
        case .bulkEnded(let ended, let rows): bulkEnded(ended, rows: rows, into: &actions)
        case .workKilled(let token, let hadProcess): workKilled(token, hadProcess, at: now, into: &actions)
        case .killTimerArmed: acceptArrived(at: now, into: &actions)
        case .registerUnsent:
            // It never left: no lease can count from it.
            if registerSentAt == lastRegisterAt { registerSentAt = nil }
            nextRenewalAt = now.advanced(by: settings.unsentPause)
        case .tick: passTime(to: now, into: &actions)
        case .turnEnds: endTurn(at: now, into: &actions)
        }
    }

    private mutating func receive(
        _ message: WorkerBoundMessage, of sender: FrontID, _ senderEpoch: Epoch, at now: MonotonicTime, into actions: inout [WorkerAction]
    ) {
        switch message {
        case .registered(let registered):
            self.registered(registered, by: sender, senderEpoch, at: now, into: &actions)
            return
        case .refused(let refused): return self.refused(refused, at: now, into: &actions)
        case .reregister:
            // Of an earlier epoch of our front it is late; from another front it means that ours is gone.
            guard connection.isRegistered, sender != front || senderEpoch >= epoch else {
                return actions.append(.ignored(connection.isRegistered ? .otherFront : .notRegistered))
            }
            return reregister(at: now)
        case .acknowledged(let reports):
            // Of any epoch: what was durable once stays so, and report numbers are never used again.
            guard sender == front else { return actions.append(.ignored(.otherFront)) }
            for report in reports where !retained.acknowledge(report) { actions.append(.ignored(.unknownReport)) }
            return
        case .unknown: return
        case .renewed, .grant, .cancel, .drain, .unreadable: break
        }
        guard connection.isRegistered else { return actions.append(.ignored(.notRegistered)) }
        guard sender == front, senderEpoch == epoch else { return actions.append(.ignored(.otherFront)) }
        switch message {
        case .renewed(let number, let leases): renewed(number, cancels: leases, at: now, into: &actions)
        case .grant(let grant): granted(grant, at: now, into: &actions)
        case .cancel(let leases): cancel(leases, at: now, into: &actions)
        case .drain: drain(.request, at: now, into: &actions)
        case .unreadable(let error, let leases):
            if !leases.isEmpty { refuse(leases, error.code, error.description, into: &actions) }
        case .registered, .refused, .reregister, .acknowledged, .unknown: break
        }
    }

    /// The messages of an envelope were taken: the next renewal says so.
    private mutating func noteRead(_ envelope: WorkerBoundEnvelope) {
        guard connection.isRegistered, envelope.front == front, envelope.epoch == epoch else { return }
        readBelow = max(readBelow, envelope.sentBelow)
    }

    /// Sends in this turn if there is somebody to send to; what must not be lost is kept or repeated elsewhere.
    func send(_ message: WorkerMessage, into actions: inout [WorkerAction]) {
        if connection.isRegistered { actions.append(.send(message)) }
    }

    /// Reports to the front that grants are not taken, so that it neither waits for them nor sends them again and again.
    func refuse(_ leases: [UInt64], _ code: FailureCode, _ reason: String, into actions: inout [WorkerAction]) {
        send(.refusedGrants(WorkerMessage.RefusedGrants(leases: leases, code: code, reason: reason)), into: &actions)
    }

    func slotIndex(of token: WorkToken) -> Int? { slots.firstIndex { $0?.token == token } }
}

/// Everything that a worker's machine wants done, in order.
package enum WorkerAction: Hashable, Sendable {
    /// Send in this turn's envelope, under the machine's epoch and registration.
    case send(WorkerMessage)
    /// Forget what is unsent and send this alone; if it cannot be sent now, say `registerUnsent` and forget it.
    case register(WorkerMessage.Registration)
    /// Connect anew: nothing of the old connection is worth reading or sending.
    case reconnect
    /// Begin a job in a slot.
    case start(WorkStart)
    /// Cancel the task of that run, with the reason; its end is reported as always.
    case cancelWork(WorkToken, CancelReason)
    /// Kill the process that a run says it has for itself, then say `workKilled`.
    case killWork(WorkToken)
    /// Run rows from the front of these, at least one, and say `bulkEnded`.
    case runBulk(BulkWork)
    /// Let the kernel end the process at that instant, then say `killTimerArmed`.
    case armKillTimer(at: MonotonicTime)
    /// Nothing runs: the kernel is to leave the process alone.
    case disarmKillTimer
    /// Count a message that came late.
    case ignored(WorkerIgnoredReason)
    /// The worker holds nothing and may end, after what was sent has left.
    case finish
    /// The front does not take this worker; the reason names the next step.
    case refused(reason: String)
}

/// Everything that happens to a worker's machine.
package enum WorkerEvent: Hashable, Sendable {
    /// A frame of the front was read.
    case received(WorkerBoundEnvelope)
    /// A frame of the front could not be read at all: grants may have been in it.
    case unreadable(CodecError)
    /// Running work said something.
    case reported(WorkReport)
    /// The first rows of the line have run; the columns hold their outcomes, the report number is not yet given.
    case bulkEnded(WorkerMessage.Ended, rows: Int)
    /// The process of a run was killed; false: it has none.
    case workKilled(WorkToken, Bool)
    /// The kernel timer is armed; the clock was read after that.
    case killTimerArmed
    /// The last registration could not be handed to the transport.
    case registerUnsent
    /// Everything that waited was read: now deadlines may be looked at.
    case tick
    /// Everything is decided: what was gathered in this turn is to be sent.
    case turnEnds
}

/// Why a message was ignored. All of these are normal on a network; the loop counts them.
package enum WorkerIgnoredReason: Hashable, Sendable, CaseIterable {
    /// It is of another front or of an earlier epoch of ours.
    case otherFront
    /// It is of a registration that is over.
    case registrationOver
    /// The registration that it answers is already there.
    case alreadyRegistered
    /// It answers an older registration: it does not judge every lease that is held now.
    case olderRegistration
    /// The worker is not registered now.
    case notRegistered
    /// The echoed renewal is not one that was sent under this registration.
    case unknownRenewal
    /// The lease was granted before and is held, or its outcome was reported.
    case knownLease
    /// The run that reports is over.
    case unknownWork
    /// The job has ended; its report is on the way.
    case alreadyEnded
    /// No such report is kept.
    case unknownReport
    /// Too many outcomes wait to become durable: the grant is refused as busy.
    case overBound
    /// The columns of a grant do not fit each other.
    case malformed
    /// The front could not take a message of this worker.
    case refusedMessage
    /// The worker has sent close.
    case ended
}
