//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// Attaches a worker, for the first time or again.
    mutating func register(
        _ envelope: WorkerEnvelope, _ registration: WorkerMessage.Registration, _ peer: PeerID, _ principal: Principal
    ) {
        let id = envelope.worker
        guard !isRepetition(envelope) else {
            noteLateReports()
            return
        }
        if let refused = unproven(registration, id) ?? refusal(of: registration, id) {
            turn.emit(.tellWorker(peer, .refused(refused)))
            return
        }
        let wasSilent = isSilent(id)
        let attachment = AttachmentNumber(state.nextAttachment)
        // Leases are journalled by the grant that renews them; what lets somebody in does not belong on the disk.
        var journalled = registration
        (journalled.held, journalled.token) = ([], [])
        // The word of a worker alone proves nothing: behind a proxy the connection is another process's.
        if registration.process != principal.process { journalled.process = nil }
        record(.workerAttached(Fact.WorkerAttached(id, attachment, journalled)))
        guard let index = state.workerIndexes[id] else { return }
        let named = attachmentNamed(by: envelope)
        state.workers[index]?.begin(peer: peer, spokenUnder: named)
        if !wasSilent { extendLease(index) }
        watchProcess(ofWorker: index)
        let verdicts = verdicts(on: registration.held, worker: index)
        let registered = WorkerBoundMessage.Registered(
            attachment: attachment, leaseMilliseconds: UInt32(turn.settings.leaseMilliseconds),
            renewalMilliseconds: UInt32(turn.settings.heartbeatMilliseconds), verdicts: verdicts)
        turn.emit(.tellWorker(peer, .registered(registered)))
        noteWorker(index)
    }

    /// Whether a worker has said nothing since it was answered: it has its place for one lease, however often it registers. One whose answer
    /// has not left yet can say nothing else.
    private func isSilent(_ id: WorkerID) -> Bool {
        guard let index = state.workerIndexes[id], let worker = state.workers[index], worker.isAttached else { return false }
        return worker.spokenUnder != worker.attachment && worker.attachment.rawValue < sent.attachment
    }

    /// The attachment of this life of the front that a worker speaks under; none: it knows none of them yet.
    private func attachmentNamed(by envelope: WorkerEnvelope) -> AttachmentNumber {
        envelope.epoch == turn.settings.epoch ? envelope.attachment : .none
    }

    /// Whether a registration is one that the network repeats: the worker has spoken under a later attachment already, so what the
    /// registration says of held leases is not true any more. One that has not may have missed the answer, and is answered again.
    private func isRepetition(_ envelope: WorkerEnvelope) -> Bool {
        guard let index = state.workerIndexes[envelope.worker], let worker = state.workers[index] else { return false }
        return worker.isAttached && attachmentNamed(by: envelope) < worker.spokenUnder
    }

    /// Bytes of a worker's secret.
    private static let secretByteCount = 32

    /// Why a worker is not believed to be who it says; nil: it is. Ids are public, in the topic of workers: only the secret that came with the
    /// first registration proves that a later one is of the same process.
    private func unproven(_ registration: WorkerMessage.Registration, _ id: WorkerID) -> Refused? {
        if let token = turn.settings.token, !token.admits(registration.token) {
            return Refused(
                reason: "the worker does not know this front's token: give it the content of DATA/run/token", code: .notAuthorized)
        }
        guard registration.secret.count == Self.secretByteCount else {
            let count = registration.secret.count
            let text = "a registration has a secret of \(Self.secretByteCount) random bytes, this one of \(count): choose one with the id"
            return Refused(reason: text, code: .invalidData)
        }
        guard let index = state.workerIndexes[id], let known = state.workers[index] else { return nil }
        guard known.registration.secret.isSameSecret(as: registration.secret) else {
            let text = "worker \(id) is known with another secret: choose another id"
            return Refused(reason: text, code: .notAuthorized)
        }
        return nil
    }

    /// Why a worker cannot be taken; nil: it can.
    private mutating func refusal(of registration: WorkerMessage.Registration, _ id: WorkerID) -> Refused? {
        guard id != .none else {
            let reason = "a worker's id is a random number of its own, and 0 stands for none: choose one"
            return Refused(reason: reason, code: .invalidData)
        }
        if let reason = fault(of: registration) { return Refused(reason: reason, code: .invalidData) }
        guard state.workerIndexes[id] != nil || state.workerIndexes.count < turn.settings.bounds.workers else {
            return tooManyWorkers()
        }
        return nil
    }

    /// The refusal of a worker for which there may be room later: at latest after one lease, silent ones give their places back.
    private mutating func tooManyWorkers() -> Refused {
        turn.noteBusy(.workers)
        let reason = "\(turn.settings.bounds.workers) workers are known (limit): stop some first"
        return Refused(reason: reason, code: .busy, retryAfterMilliseconds: UInt32(turn.settings.leaseMilliseconds))
    }

    private func fault(of registration: WorkerMessage.Registration) -> String? {
        guard registration.minimumVersion <= ProtocolVersion.current, registration.maximumVersion >= ProtocolVersion.current else {
            return
                "the worker offers protocol versions \(registration.minimumVersion) to \(registration.maximumVersion), this front speaks "
                + "\(ProtocolVersion.current): use a worker of the same release"
        }
        guard (1...MessageBounds.slots).contains(Int(registration.slots)), registration.prefetch <= MessageBounds.prefetch else {
            return "a worker has 1 to \(MessageBounds.slots) slots and takes at most \(MessageBounds.prefetch.grouped) short jobs ahead"
        }
        guard registration.loaders.count <= turn.settings.bounds.loadersPerWorker else {
            return
                "the worker offers \(registration.loaders.count) loaders (limit \(turn.settings.bounds.loadersPerWorker)): share them out to "
                + "several workers"
        }
        guard registration.loaders.allSatisfy({ FeedKey.isName($0.name) }) else { return "a loader's name is [a-z][a-z0-9-]{0,62}" }
        var names: Set<String> = []
        if let twice = registration.loaders.first(where: { !names.insert($0.name).inserted }) {
            return "the worker offers the loader \(twice.name) twice: say each once, with one set of properties"
        }
        let limit = turn.settings.bounds.heldLeases
        guard registration.held.count <= limit else {
            return "the worker holds \(registration.held.count) leases (limit \(limit)): let it end what it has first"
        }
        return nil
    }

    /// What becomes of each lease that the worker still holds, and of those that it should hold but does not.
    private mutating func verdicts(
        on held: [WorkerMessage.HeldLease], worker index: Int
    ) -> [WorkerBoundMessage.LeaseVerdict] {
        turn.step(held.count)
        var verdicts: [WorkerBoundMessage.LeaseVerdict] = []
        var kept: [UInt64: UInt64] = [:]
        for lease in held {
            let id = lease.job.rawValue
            guard state.jobs.contains(id), state.jobs[id].place == .held, Int(state.jobs[id].worker) == index, kept[id] == nil else {
                verdicts.append(.init(lease: lease.lease, verdict: .drop, renewed: .none))
                continue
            }
            let renewed = state.jobs.number { $0.takeLeases() }
            kept[id] = renewed.rawValue
            let isCancelling = state.jobs[id].state == .cancelling
            verdicts.append(.init(lease: lease.lease, verdict: isCancelling ? .cancel : .keep, renewed: renewed))
        }
        let before = state.jobs.heldJobs(by: index)
        drop(takeBackUnsent(before.filter { kept[$0] == nil }), worker: index)
        // In the order of their grants, whatever the worker's: the first one held stays the one that was granted first.
        var granted = Fact.GrantedJobs(worker: state.workers[index]?.id ?? .none, at: turn.now.wall, isReattachment: true)
        for id in before {
            guard let lease = kept[id] else { continue }
            granted.jobs.append(id)
            granted.leases.append(lease)
        }
        if !granted.jobs.isEmpty { record(.granted(granted)) }
        for id in granted.jobs { state.jobs.noteSeen(id) }
        return verdicts
    }

    /// Takes jobs from a worker that registers without them. It may still be at one of them, and will say so.
    private mutating func drop(_ jobs: [UInt64], worker index: Int) {
        loseJobs(jobs, suspected: false, isCounted: false)
        let known = state.workers[index]?.dropped ?? []
        turn.step(known.count)
        state.workers[index]?.dropped = known.union(jobs).filter { state.jobs.contains($0) && !state.jobs[$0].state.isFinal }
    }

    /// The worker's lease counts from now on: what the worker counts from is earlier.
    mutating func extendLease(_ index: Int) {
        guard state.workers[index]?.hasEnded == false else { return }
        let end = turn.now.monotonic.adding(milliseconds: turn.settings.leaseMilliseconds + turn.settings.graceMilliseconds)
        state.workers[index]?.leaseEnd = end
        state.workers[index]?.awayAtRenewal = awayMilliseconds
        state.workers[index]?.unreadTurns = 0
        turn.check(.lease(worker: index), by: end)
    }
}
