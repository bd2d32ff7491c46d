//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// All workers: which are there, until when their leases last, and which of their reports are acknowledged. What happens to the jobs of a
/// lost worker is decided by the caller.
///
/// Entries make and change what is durable of them, while serving and at restart alike; each has an index as long as it is known.
struct WorkerSessions: EntryState {
    private var records: [WorkerSession?] = []
    private var indexes: [WorkerID: Int] = [:]
    /// Those that were changed since that was asked last: jobs may wait for them no longer, or be given to them again.
    private var changed = ChangedIndexes()
    private(set) var nextRegistrationNumber: UInt64 = 1
    /// From which their leases count.
    private(set) var epochs = LeaseEpochs()
    /// Those that are lost and get no jobs either when they come back.
    private(set) var drained = DrainedWorkers()
    /// Loaders that they have offered.
    var offered = OfferedLoaders()

    // What follows is not durable.

    /// How long the loop was away in all: leases are moved by that when they are looked at. Each by one lease at most since the last renewal, or
    /// slow turns, one after the other, would keep the slots of dead workers for ever: see `WorkerSession.lostAt`.
    private(set) var loopPause = Duration.zero
}

// MARK: Questions

extension WorkerSessions {
    /// Workers that are known.
    var count: Int { indexes.count }
    /// All indexes that were given out; some may stand for no worker.
    var indices: Range<Int> { records.indices }
    /// All that are known, in the order of their indexes.
    var all: some Sequence<WorkerSession> { records.lazy.compactMap { $0 } }

    // Inlined into the caller, which mostly needs one field of it: to yield it allocates, to return it copies it.

    /// The record of an index; nil: no worker has it.
    subscript(index: Int) -> WorkerSession? {
        @inline(__always) get { index < records.count ? records[index] : nil }
    }

    /// The index of a worker; nil: it is not known.
    func index(of id: WorkerID) -> Int? { indexes[id] }

    /// The index of each worker.
    var known: [WorkerID: Int] { indexes }

    /// The present epoch, or the one that is replayed.
    var epoch: Epoch { epochs.present }

    /// The worker that a frame is of; nil: it has to register first.
    ///
    /// A registration belongs to the connection that registered with the worker's secret. Id, epoch and numbers of registrations are public
    /// or easily guessed: knowing them must not be enough to end jobs, forge outcomes or take grants.
    func registered(_ envelope: WorkerEnvelope, at peer: PeerID, _ epoch: Epoch) -> Int? {
        guard let index = indexes[envelope.worker], let worker = records[index], worker.isRegistered, worker.peer == peer,
            worker.registrationNumber == envelope.registrationNumber, envelope.epoch == epoch
        else { return nil }
        return index
    }

    /// Whether a worker has closed, and had not taken a grant with that lease.
    func hasLeft(untaken lease: UInt64, _ index: Int) -> Bool {
        guard let takenBelow = self[index]?.takenBelow, takenBelow != .none else { return false }
        return lease >= takenBelow.rawValue
    }

    /// Whether the front stood still for a whole lease since a worker renewed: then none can have kept its own.
    func frontStoodStill(for worker: WorkerSession, lease: Duration) -> Bool {
        worker.givenBack(after: loopPause, lease: lease) >= lease
    }
}

// MARK: Durable changes, made by entries alone

extension WorkerSessions {
    /// - Returns: the worker's index and what it said before; nil: a checkpoint has stored a later registration.
    mutating func apply(
        _ entry: JournalEntry.WorkerRegistered, _ turn: EntryTurn
    ) -> (index: Int, old: WorkerMessage.Registration?)? {
        noteNext(registrationNumber: entry.registrationNumber.rawValue + 1, turn)
        drained.remove(entry.worker)
        if let index = indexes[entry.worker], let known = records[index] {
            guard known.storedTurn < turn.number else { return nil }
            let epoch = epoch
            change(index) { $0.apply(entry, epoch: epoch, stored: turn.stored) }
            return (index, known.registration)
        }
        let index = records.firstIndex { $0 == nil } ?? records.count
        if index == records.count {
            records.append(nil)
        }
        var worker = WorkerSession(entry, epoch: epoch)
        worker.apply(entry, epoch: epoch, stored: turn.stored)
        records[index] = worker
        indexes[entry.worker] = index
        changed.note(index)
        return (index, nil)
    }

    /// - Returns: the index that the worker had, and what it offered; nil: it is not known, or a checkpoint stored it later.
    mutating func apply(_ entry: JournalEntry.WorkerLost, _ turn: EntryTurn) -> (index: Int, old: WorkerMessage.Registration)? {
        let known = indexes[entry.worker].flatMap { records[$0] }
        if let known, known.storedTurn >= turn.number { return nil }
        if entry.drains { drained.add(entry.worker) } else { drained.remove(entry.worker) }
        guard let worker = known, let index = indexes[entry.worker] else { return nil }
        records[index] = nil
        indexes[entry.worker] = nil
        return (index, worker.registration)
    }

    /// An epoch began.
    mutating func apply(_ entry: JournalEntry.EpochBegan, _ turn: EntryTurn) { epochs.begin(entry, oldest: all.map(\.epoch).min()) }

    /// Registration numbers below this one were handed out.
    mutating func noteNext(registrationNumber: UInt64, _ turn: EntryTurn) {
        nextRegistrationNumber = max(nextRegistrationNumber, registrationNumber)
    }

    /// The epochs that matter, each before the workers that registered last in it, the drained ones that are lost, and the loaders that were
    /// offered, as a checkpoint stores them.
    var parts: [CheckpointPart] {
        func workers(_ isMeant: (Epoch) -> Bool) -> [CheckpointPart] { all.filter { isMeant($0.epoch) }.map { .worker($0.id, $0.epoch) } }
        // Of workers whose epoch is not listed any more, the first listed one counts.
        let listed = Set(epochs.all.map(\.epoch))
        var parts = workers { !listed.contains($0) }
        for began in epochs.all { parts += [.entry(.epochBegan(began))] + workers { $0 == began.epoch } }
        return parts + (drained.entries + offered.entries).map { .entry($0) }
    }

    /// The entry that makes a part of a checkpoint; nil: its worker has left, or has registered in another epoch since.
    func entry(of part: CheckpointPart) -> JournalEntry? {
        switch part {
        case .entry(let entry): return entry
        case .worker(let id, let epoch):
            guard let worker = indexes[id].flatMap({ records[$0] }), worker.epoch == epoch else { return nil }
            return worker.entry
        }
    }

    /// The only way to change a record, so that the list of changed ones is complete.
    @discardableResult
    private mutating func change<Value>(_ index: Int, _ change: (inout WorkerSession) -> Value) -> Value? {
        guard index < records.count else { return nil }
        changed.note(index)
        return records[index]?.change(change)
    }

    /// A worker that was changed since this was asked last; nil: none.
    mutating func takeChanged() -> Int? { changed.take() }
}

// MARK: Registration

extension WorkerSessions {
    /// What is to be recorded for a worker that registers; nil: it was answered, or is not worth an answer.
    /// - Parameter sent: The registration from which on answers have not left yet.
    mutating func admit(
        _ envelope: WorkerEnvelope, _ registration: WorkerMessage.Registration, from peer: PeerID, _ principal: Principal,
        in turn: inout TurnContext
    ) -> JournalEntry.WorkerRegistered? {
        let id = envelope.worker
        let known = indexes[id].flatMap { records[$0] }
        // One that the network repeats: the worker has sent something under a later registration already, so its held leases are out of
        // date. A worker that has not may have missed the answer, and is answered again.
        if let known, known.isRegistered, registrationNamed(by: envelope, turn) < known.sentUnder {
            turn.noteLateReports(.repeatedRegistration)
            return nil
        }
        if let refused = refusal(of: registration, id, known, principal, in: &turn) {
            turn.emit(.sendToWorker(peer, .refused(refused)))
            return nil
        }
        // Leases are journaled by the grant that renews them; what lets somebody in does not belong on the disk.
        var journaled = registration
        (journaled.held, journaled.token) = ([], [])
        // The word of a worker alone proves nothing: behind a proxy the connection is another process's.
        if registration.process != principal.process { journaled.process = nil }
        return JournalEntry.WorkerRegistered(
            id, RegistrationNumber(nextRegistrationNumber), journaled, drains: known?.isDrainAsked ?? drained.contains(id))
    }

    /// The registration of this epoch that a worker uses; none: it knows none of them yet.
    private func registrationNamed(by envelope: WorkerEnvelope, _ turn: TurnContext) -> RegistrationNumber {
        envelope.epoch == turn.settings.epoch ? envelope.registrationNumber : .none
    }

    /// Whether a worker has said nothing since it was answered: it has its place for one lease, however often it registers. One whose answer
    /// has not left yet can say nothing else.
    func isSilent(_ id: WorkerID, sent: UInt64) -> Bool {
        guard let worker = indexes[id].flatMap({ records[$0] }), worker.isRegistered else { return false }
        return worker.sentUnder != worker.registrationNumber && worker.registrationNumber.rawValue < sent
    }

    /// A worker's registration is recorded: that connection is its own now.
    mutating func begin(_ index: Int, _ envelope: WorkerEnvelope, from peer: PeerID, wasSilent: Bool, in turn: inout TurnContext) {
        let named = registrationNamed(by: envelope, turn)
        change(index) { $0.begin(peer: peer, sentUnder: named) }
        if !wasSilent { extendLease(index, in: &turn) }
        watchProcess(index, in: &turn)
    }

    /// An epoch begins: workers that it knows of an earlier one have their leases until they are over, counted from the first epoch
    /// that they have not registered with.
    ///
    /// A worker that registered in an earlier epoch and in none since had its last renewal answered before the next epoch began. So a
    /// front that is killed again and again still gives a dead worker's jobs to others in time.
    mutating func begin(in turn: inout TurnContext) {
        for index in indices {
            guard let epoch = records[index]?.epoch else { continue }
            let end = turn.now.monotonic.advanced(by: epochs.leaseLeft(of: epoch, turn.settings))
            change(index) { $0.beginEpoch(leaseEnd: end) }
            turn.check(.lease(worker: index), by: end)
            watchProcess(index, in: &turn)
        }
    }

    /// A worker is lost, and more is to be taken from it than one turn does. That its lease ends meanwhile changes nothing.
    mutating func beginLeaving(_ index: Int, in turn: inout TurnContext) {
        turn.forget(.reports(worker: index))
        change(index) { $0.leave() }
        notify(index, in: &turn)
    }

    /// A worker is to be forgotten: nothing waits for its time any more. The entry follows.
    mutating func leave(_ index: Int, in turn: inout TurnContext) {
        turn.forget(.lease(worker: index))
        turn.forget(.reports(worker: index))
        guard let process = records[index]?.registration.process else { return }
        turn.step(records.count)
        let isShared = indices.contains { $0 != index && records[$0]?.registration.process == process }
        if !isShared { turn.emit(.unwatch(process)) }
    }

    /// Watches a worker's process for its end, if it is known.
    private func watchProcess(_ index: Int, in turn: inout TurnContext) {
        if let process = records[index]?.registration.process { turn.emit(.watch(process)) }
    }
}

// MARK: Receiving and silence

extension WorkerSessions {
    /// A lease is looked at so long after its end whatever is still unread: one flooding worker must not keep a dead one's slots. Safe: a
    /// worker's own lease grows only by renewals that the front has read.
    private static var leaseGracePeriod: Duration { .seconds(1) }
    /// In so many turns at least what had come was read in vain by then: after a pause or a long commit each connection has its share first.
    private static var leaseGracePeriodTurns: Int { 10 }
    /// How soon is looked again at workers of whom something may be unread: shorter than the grace, longer than a turn.
    private static var unreadPause: Duration { .milliseconds(10) }
    /// Reports that wait to be acknowledged together, at most: as many again cost as much, not more each, and one message names them all.
    static var unacknowledgedReports: Int { 1_024 }

    /// A worker has said something under its registration.
    mutating func receive(_ index: Int) {
        if let worker = self[index], worker.sentUnder != worker.registrationNumber { change(index) { $0.receive() } }
    }

    /// A worker is alive, and is answered at once.
    /// - Returns: whether that is new.
    mutating func renew(_ index: Int, _ number: RenewalNumber, from peer: PeerID, in turn: inout TurnContext) -> Bool {
        guard let worker = self[index], number > worker.renewal else {
            turn.noteIgnored(.oldRenewal)
            return false
        }
        change(index) { $0.renew(number) }
        extendLease(index, in: &turn)
        turn.emit(.answerRenewal(peer, number))
        return true
    }

    /// The newest renewal of a frame that has to wait: it keeps the lease, and is answered. The rest of a renewal is handled with the next
    /// one that need not wait, or grants would be sent again and again while nothing can be sent.
    ///
    /// The answer lets the worker begin what it was granted: a registration that it had sent before, and that waits unread, does not list that.
    mutating func receiveWaiting(_ envelope: WorkerEnvelope, from peer: PeerID, in turn: inout TurnContext) {
        turn.step(envelope.messages.count)
        guard let index = registered(envelope, at: peer, turn.settings.epoch), let worker = self[index] else { return }
        var newest = worker.renewal
        for case .renewal(let number, _, _) in envelope.messages { newest = max(newest, number) }
        guard newest > worker.renewal else { return }
        change(index) { $0.renewEarly(newest) }
        extendLease(index, in: &turn)
        turn.emit(.answerRenewal(peer, newest))
    }

    /// The worker's lease counts from now on: what the worker counts from is earlier.
    private mutating func extendLease(_ index: Int, in turn: inout TurnContext) {
        guard self[index]?.hasEnded == false else { return }
        let end = turn.now.monotonic.advanced(by: turn.settings.lease + turn.settings.grace)
        let loopPause = self.loopPause
        change(index) { $0.extendLease(to: end, loopPause: loopPause) }
        turn.check(.lease(worker: index), by: end)
    }

    /// A worker takes no new jobs any more.
    mutating func drain(_ index: Int, isReported: Bool) { change(index) { $0.drain(isReported: isReported) } }
    /// A worker ends, and says which grants it has taken.
    mutating func close(_ index: Int, _ takenBelow: LeaseID) { change(index) { $0.close(takenBelow: takenBelow) } }
    mutating func holdBack(_ index: Int) { change(index) { $0.holdBack() } }

    /// A worker says which dropped work has not ended there.
    mutating func noteOverdue(_ index: Int, _ jobs: [UInt64]) { change(index) { $0.noteOverdue(jobs) } }

    /// Jobs were taken from a worker, which may still be at them; those that are not kept count no more.
    mutating func drop(_ jobs: [UInt64], from index: Int, keeping isStillHeld: (UInt64) -> Bool) {
        change(index) { $0.drop(jobs, keeping: isStillHeld) }
    }

    /// Notes which grants were sent again, each by itself, and until when they may stay unseen.
    mutating func noteSentApart(_ index: Int, _ note: (inout [UInt64: MonotonicTime]) -> Void) { change(index) { $0.noteSentApart(note) } }

    /// A worker has registered, and goes on under leases below that.
    mutating func noteRenewed(_ index: Int, below lease: UInt64) { change(index) { $0.noteRenewed(below: lease) } }

    /// A report is acknowledged with the worker's next grant, or a little later: a message of its own would wake it for nothing.
    mutating func noteUnacknowledged(_ report: UInt64, of index: Int, in turn: inout TurnContext) {
        let deadline = turn.now.monotonic.advanced(by: turn.settings.acknowledgmentPause)
        if change(index, { $0.noteUnacknowledged(report, by: deadline) }) == true { turn.check(.reports(worker: index), by: deadline) }
        if let count = self[index]?.unacknowledgedReports.count, count >= Self.unacknowledgedReports { acknowledge(index, in: &turn) }
    }

    /// Acknowledges reports of a worker.
    mutating func acknowledge(_ index: Int, in turn: inout TurnContext) {
        guard let worker = self[index], !worker.unacknowledgedReports.isEmpty, let reports = change(index, { $0.acknowledge() }) else {
            return
        }
        if worker.peer != .none { turn.emit(.sendToWorker(worker.peer, .acknowledged(reports: reports))) }
    }

    /// The time of a worker's reports may have come.
    mutating func lookAtReports(_ index: Int, in turn: inout TurnContext) {
        guard let worker = self[index] else { return turn.noteIgnored(.ownerForgotten) }
        if turn.now.monotonic >= worker.acknowledgeBy {
            acknowledge(index, in: &turn)
        } else {
            turn.check(.reports(worker: index), by: worker.acknowledgeBy)
        }
    }

    /// The end of a worker's lease may have come.
    /// - Returns: whether the worker is lost.
    mutating func isLost(_ index: Int, _ reading: TurnReading, in turn: inout TurnContext) -> Bool {
        guard let worker = self[index] else {
            turn.noteIgnored(.ownerForgotten)
            return false
        }
        let lostAt = worker.lostAt(after: loopPause, lease: turn.settings.lease)
        guard reading.began >= lostAt else {
            turn.check(.lease(worker: index), by: lostAt)
            return false
        }
        if reading.isWorkersDone { return true }
        let unreadTurns = change(index) { $0.noteUnread(isCounted: !reading.isHeld) } ?? 0
        let isOverLong = reading.began >= lostAt.advanced(by: Self.leaseGracePeriod)
        if isOverLong, unreadTurns >= Self.leaseGracePeriodTurns { return true }
        turn.check(.lease(worker: index), by: turn.now.monotonic.advanced(by: Self.unreadPause))
        return false
    }

    /// A process has ended: its workers get no more jobs, and those that they held are free once their last messages are read.
    ///
    /// That holds for a process that the connection was seen to belong to, and that the worker calls its own; a record of it outlives the
    /// front, so that the next epoch knows at once who died meanwhile. The end of all other workers shows only at the end of their lease.
    mutating func end(_ process: ProcessIdentity, in turn: inout TurnContext) {
        turn.step(records.count)
        // What it had sent is read until then: its outcomes count.
        let end = turn.now.monotonic.advanced(by: turn.settings.grace)
        let unread = WorkerSession.Unread(readUntil: end, loopPauseBefore: loopPause)
        var isKnown = false
        for index in indices where records[index]?.registration.process == process {
            isKnown = true
            change(index) { $0.end(unread) }
            turn.check(.lease(worker: index), by: end)
            notify(index, in: &turn)
        }
        if !isKnown { turn.noteIgnored(.processForgotten) }
    }

    /// A connection is lost.
    mutating func lose(_ peer: PeerID, in turn: inout TurnContext) {
        turn.step(records.count)
        for index in indices where records[index]?.peer == peer { change(index) { $0.lose(peer) } }
    }

    /// The loop was away for so long.
    mutating func noteAbsence(_ length: Duration) { loopPause += length }

    /// Notifies observers that a worker's item has changed.
    func notify(_ index: Int, in turn: inout TurnContext) {
        if let id = self[index]?.id { turn.emit(.changed(.workers, key: ItemKey.worker(id))) }
    }
}
