//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// Whether a worker takes jobs. It moves from each to each.
enum WorkerReadiness: Hashable {
    /// It is not registered, or drains.
    case unavailable
    /// Jobs may wait for it; none is given now.
    case offering
    /// A job may be given now, unless the worker is paused.
    case taking
}

/// What is known of a worker: its last registration, whether it is there, and what it has said of itself.
struct WorkerSession {
    /// What it has reported in this epoch.
    ///
    /// - unregistered: nothing, it is known from an earlier epoch. Moves to working when it registers.
    /// - working: it takes jobs; `isHeldBack`: it gave a grant back, and gets the next one after its next renewal, which says what is in its way. Moves
    ///   to overdue and draining when it reports that.
    /// - overdue: dropped work has not ended there, so it takes no new jobs. Moves to working when it reports that all has ended or renews
    ///   without naming any, held back as before unless it renews, and to draining.
    /// - draining: it takes no new jobs, by itself or because somebody asked for that; `isReported`: it has said so since it registered. Of dropped
    ///   work it reports only whether some is left.
    /// - leaving: it is lost, and what it held is taken from it, some a turn; then it is forgotten. Until it registers its messages are refused.
    ///
    /// A worker that registers is working, whatever it was before, unless somebody asked that it drain: then it is draining. Each of them moves to
    /// leaving when the worker is lost and holds more than one turn takes.
    enum Duty: Hashable {
        case unregistered
        case working(isHeldBack: Bool)
        case overdue(Overdue, isHeldBack: Bool)
        case draining(Overdue?, isReported: Bool)
        case leaving
    }

    /// When a worker has named dropped work that has not ended. Before a renewal it names all that there is.
    enum Overdue: Hashable {
        /// Since its latest renewal. Moves to before when it renews.
        case named
        /// Before that one: if it renews once more without naming any, all has ended. Moves to named.
        case before
    }

    /// Whether it is there.
    ///
    /// - silent: no connection is its own: it is known from an earlier epoch, or the connection is lost. Moves to here when it registers.
    /// - here: that connection is its own. Moves to silent when the connection is lost.
    /// - ended: its process has ended, as the kernel says. What it had sent before is still read for a while; nothing renews its lease.
    ///
    /// In all it is forgotten when it sends close or its lease is over.
    enum Connection: Hashable {
        case silent
        case here(PeerID)
        case ended(PeerID, Unread)
    }

    /// What a process had sent before it ended.
    struct Unread: Hashable {
        /// Until when it is read, were the front never away.
        let readUntil: MonotonicTime
        /// How long the front had been away in all when the process ended.
        let loopPauseBefore: Duration
    }

    let id: WorkerID
    /// As it registered last, without leases.
    private(set) var registration: WorkerMessage.Registration
    private(set) var registrationNumber: RegistrationNumber
    /// The epoch in which it registered last.
    private(set) var epoch = Epoch.none
    /// Whether somebody asked that it drain: it gets no new jobs, and none either when it comes back after it was lost.
    private(set) var isDrainAsked = false
    /// The turn at which a checkpoint stored it.
    private(set) var storedTurn: UInt64 = 0

    // What follows is not durable.

    private(set) var duty = Duty.unregistered
    private(set) var connection = Connection.silent
    /// Its latest renewal that was read.
    private(set) var renewal: RenewalNumber = .none
    /// When its slots are freed, were the front never away: lease and grace after its latest renewal was read.
    private(set) var leaseEnd = MonotonicTime.distantFuture
    /// How long the front had been away in all when that renewal was read.
    private var loopPauseAtRenewal = Duration.zero
    /// How many turns have read of workers since that lease ended and left something unread.
    private var unreadTurns = 0
    /// Its reports that are taken and not yet acknowledged: that is sent with the next grant, or at `acknowledgeBy`.
    private(set) var unacknowledgedReports: [UInt64] = []
    /// When they are acknowledged at the latest.
    private(set) var acknowledgeBy = MonotonicTime.distantFuture
    /// The newest registration of this epoch under which it sent something: a registration that names an older one is late.
    private(set) var sentUnder = RegistrationNumber.none
    /// Jobs that were taken from it when it registered without them; since it has said so, only those whose work has not ended there.
    private(set) var dropped: Set<UInt64> = []
    /// Grants that were sent again, each by itself, and were not listed since: when they are taken for lost, by their lease.
    private(set) var sentApart: [UInt64: MonotonicTime] = [:]
    /// Leases below it are of its last registration: when their jobs were granted, nobody knows any more.
    private(set) var renewedBelow: UInt64 = 0
    /// It has closed, and has taken no grant with this lease or a greater one; none: it has not closed, or has not said that.
    ///
    /// A restart forgets it together with what the worker has listed (`JobRecord.Flags.isSeen`), which counts for more. If this alone were durable,
    /// work would run twice of a worker that had listed it and closed as if it had not taken it.
    private(set) var takenBelow = LeaseID.none

    init(_ registered: JournalEntry.WorkerRegistered, epoch: Epoch) {
        (id, registration, registrationNumber, self.epoch) = (
            registered.worker, registered.registration, registered.registrationNumber, epoch
        )
        (registration.held, isDrainAsked) = ([], registered.drains)
    }

    /// Registered anew, or asked to drain: then its lease counts from the same epoch as before.
    mutating func apply(_ registered: JournalEntry.WorkerRegistered, epoch: Epoch, stored: UInt64?) {
        if registered.registrationNumber != registrationNumber { self.epoch = epoch }
        (registration, registrationNumber) = (registered.registration, registered.registrationNumber)
        (registration.held, isDrainAsked) = ([], registered.drains)
        if let stored { storedTurn = stored }
    }
}

// MARK: Questions

extension WorkerSession {
    /// The entry that makes it.
    var entry: JournalEntry { entry(drains: isDrainAsked) }

    /// The same, where it is asked to drain or not.
    func entry(drains: Bool) -> JournalEntry {
        .workerRegistered(JournalEntry.WorkerRegistered(id, registrationNumber, registration, drains: drains))
    }

    /// Its connection; none: it has none.
    var peer: PeerID {
        switch connection {
        case .silent: .none
        case .here(let peer), .ended(let peer, _): peer
        }
    }

    /// Whether its process has ended.
    var hasEnded: Bool { if case .ended = connection { true } else { false } }

    /// Whether it has registered in this epoch.
    var isRegistered: Bool {
        switch duty {
        case .working, .overdue, .draining: true
        case .unregistered, .leaving: false
        }
    }

    /// Whether it is lost, and something that it held is still to be taken from it.
    var isLeaving: Bool { duty == .leaving }

    /// Whether it said that dropped work has not ended there.
    var isOverdue: Bool { overdue != nil }

    private var overdue: Overdue? {
        switch duty {
        case .overdue(let overdue, _): overdue
        case .draining(let overdue, _): overdue
        case .unregistered, .working, .leaving: nil
        }
    }

    /// Whether it said that it takes no new jobs.
    var isDraining: Bool { if case .draining = duty { true } else { false } }

    /// Whether it was asked to drain and has not said that it does.
    var awaitsDrain: Bool {
        switch duty {
        // Whoever drains without having said so was asked to.
        case .draining(_, let isReported): !isReported && !hasEnded
        case .unregistered, .working, .overdue, .leaving: false
        }
    }

    /// Whether it takes jobs, as far as it is known here: nothing of pauses.
    var readiness: WorkerReadiness {
        switch duty {
        case .unregistered, .draining, .leaving: .unavailable
        case .working(isHeldBack: false) where peer != .none && !hasEnded: .taking
        case .working, .overdue: .offering
        }
    }

    /// Whether jobs may wait for it.
    var isOffering: Bool { readiness != .unavailable }

    /// What observers see.
    var shown: WorkerSummary.State {
        if isDraining { return .draining }
        guard isRegistered, case .here = connection else { return .silent }
        return isOverdue ? .overdue : .live
    }

    /// When its slots are freed, the front having been away for so long in all.
    func lostAt(after loopPause: Duration, lease: Duration) -> MonotonicTime {
        let end = leaseEnd.advanced(by: givenBack(after: loopPause, lease: lease))
        guard case .ended(_, let unread) = connection else { return end }
        // A front that was away has not read it meanwhile.
        let readUntil = unread.readUntil.advanced(by: loopPause - unread.loopPauseBefore)
        // Whichever comes first: that its process has ended must never keep its slots longer than its lease does.
        return min(end, readUntil)
    }

    /// How much later its slots are freed because the front was away since its latest renewal: at most one lease.
    func givenBack(after loopPause: Duration, lease: Duration) -> Duration { min(lease, loopPause - loopPauseAtRenewal) }
}

// MARK: What happens to it

extension WorkerSession {
    /// Changes it in place: to take it out of an optional would copy it.
    mutating func change<Value>(_ change: (inout Self) -> Value) -> Value { change(&self) }

    /// An epoch has begun in which it has not registered.
    mutating func beginEpoch(leaseEnd: MonotonicTime) { (duty, self.leaseEnd) = (.unregistered, leaseEnd) }

    /// It has registered: what was known of its connection and its word holds no longer.
    mutating func begin(peer: PeerID, sentUnder named: RegistrationNumber) {
        duty = isDrainAsked ? .draining(nil, isReported: false) : .working(isHeldBack: false)
        connection = .here(peer)
        renewal = .none
        sentUnder = named
        sentApart = [:]
        takenBelow = .none
        unacknowledgedReports = []
        acknowledgeBy = .distantFuture
    }

    /// It has said something under its registration.
    mutating func receive() { sentUnder = registrationNumber }

    /// It has renewed: before a renewal a worker names all its dropped work that has not ended.
    mutating func renew(_ number: RenewalNumber) {
        renewal = number
        switch duty {
        case .overdue(.named, _): duty = .overdue(.before, isHeldBack: false)
        // What it said of dropped work may have come late, after it had said that none is left.
        case .working, .overdue(.before, _): duty = .working(isHeldBack: false)
        case .draining(let overdue, let isReported): duty = .draining(overdue == .named ? .before : nil, isReported: isReported)
        case .unregistered, .leaving: break
        }
        // All of it has ended there, and no death can count against it.
        if !isOverdue { dropped = [] }
    }

    /// The same by a renewal that is answered before the rest of it is handled.
    mutating func renewEarly(_ number: RenewalNumber) {
        renewal = number
        receive()
    }

    /// Its lease counts from now on.
    mutating func extendLease(to end: MonotonicTime, loopPause: Duration) {
        (leaseEnd, loopPauseAtRenewal, unreadTurns) = (end, loopPause, 0)
    }

    /// A turn has read of workers after its lease ended; `isCounted`: what it left unread it left in vain.
    /// - Returns: how many such turns there were.
    mutating func noteUnread(isCounted: Bool) -> Int {
        if isCounted { unreadTurns += 1 }
        return unreadTurns
    }

    /// It says which dropped work has not ended there. Its death will count against those jobs, so it may name only what was taken from itself.
    mutating func noteOverdue(_ jobs: [UInt64]) {
        switch duty {
        case .unregistered, .leaving: return
        case .working(let isHeldBack), .overdue(_, let isHeldBack):
            duty = jobs.isEmpty ? .working(isHeldBack: isHeldBack) : .overdue(.named, isHeldBack: isHeldBack)
        case .draining(_, let isReported): duty = .draining(jobs.isEmpty ? nil : .named, isReported: isReported)
        }
        dropped.formIntersection(jobs)
    }

    /// It is lost, and holds more than one turn takes from it. That its process has ended stays known: it does not come back.
    mutating func leave() {
        duty = .leaving
        if !hasEnded { connection = .silent }
    }

    /// It ends, and has taken no grant from that lease on.
    mutating func close(takenBelow lease: LeaseID) { takenBelow = lease }

    /// Notes which grants were sent again, each by itself.
    mutating func noteSentApart(_ note: (inout [UInt64: MonotonicTime]) -> Void) { note(&sentApart) }

    /// It goes on under leases below that.
    mutating func noteRenewed(below lease: UInt64) { renewedBelow = lease }

    /// It takes no new jobs any more, as it says itself or as somebody asked.
    mutating func drain(isReported: Bool) {
        switch duty {
        case .working: duty = .draining(nil, isReported: isReported)
        case .overdue(let overdue, _): duty = .draining(overdue, isReported: isReported)
        case .draining(let overdue, let wasReported): duty = .draining(overdue, isReported: wasReported || isReported)
        case .unregistered, .leaving: break
        }
    }

    /// It gave a grant back, or ended one as cancelled though nobody had asked for that: it gets others with its next renewal.
    mutating func holdBack() {
        switch duty {
        case .working: duty = .working(isHeldBack: true)
        case .overdue(let overdue, _): duty = .overdue(overdue, isHeldBack: true)
        case .unregistered, .draining, .leaving: break
        }
    }

    /// Jobs were taken from it, which it may still be at.
    mutating func drop(_ jobs: [UInt64], keeping isStillHeld: (UInt64) -> Bool) { dropped = dropped.union(jobs).filter(isStillHeld) }

    /// The connection is lost.
    mutating func lose(_ peer: PeerID) {
        switch connection {
        case .here(peer): connection = .silent
        // The process stays ended, whatever becomes of its connection.
        case .ended(peer, let unread): connection = .ended(.none, unread)
        case .silent, .here, .ended: break
        }
    }

    /// Its process has ended.
    mutating func end(_ unread: Unread) { if !hasEnded { connection = .ended(peer, unread) } }

    /// A report is to be acknowledged.
    /// - Returns: whether it is the first one, which says until when.
    mutating func noteUnacknowledged(_ report: UInt64, by deadline: MonotonicTime) -> Bool {
        unacknowledgedReports.append(report)
        guard unacknowledgedReports.count == 1 else { return false }
        acknowledgeBy = deadline
        return true
    }

    /// Its reports are acknowledged.
    mutating func acknowledge() -> [UInt64] {
        defer {
            unacknowledgedReports.removeAll(keepingCapacity: true)
            acknowledgeBy = .distantFuture
        }
        return unacknowledgedReports
    }
}
