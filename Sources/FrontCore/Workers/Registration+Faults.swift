//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

// Why a worker that registers is refused: for who it is, and for what it says.
extension WorkerSessions {
    /// Why a worker is not registered; nil: it is.
    func refusal(
        of registration: WorkerMessage.Registration, _ id: WorkerID, _ known: WorkerSession?, _ principal: Principal,
        in turn: inout TurnContext
    ) -> Refused? {
        guard principal.rights.contains(.work) else {
            return Refused(reason: Failure.without(.work).text, code: .notAuthorized)
        }
        if let refused = registration.doubt(id, known: known?.registration, token: turn.settings.token) { return refused }
        guard id != .none else {
            return Refused(reason: "a worker's id is a random number of its own, and 0 stands for none: choose one", code: .invalidData)
        }
        if let reason = registration.fault(turn.settings.bounds) { return Refused(reason: reason, code: .invalidData) }
        // One that is known has its place already.
        guard known == nil, count >= turn.settings.bounds.workers else { return nil }
        turn.noteBusy(.workers)
        // At latest after one lease, silent ones give their places back.
        return Refused(
            reason: "\(turn.settings.bounds.workers) workers are known (limit): stop some first", code: .busy,
            retryAfter: turn.settings.lease)
    }
}

extension WorkerMessage.Registration {
    /// Bytes of a worker's secret.
    private static let secretByteCount = 32

    /// Why its sender is not taken for that worker; nil: it is. Ids are public, in the topic of workers: only the secret that came with the
    /// first registration proves that a later one is of the same process.
    func doubt(_ id: WorkerID, known: Self?, token front: SharedToken?) -> Refused? {
        if let front, !front.admits(token) {
            return Refused(
                reason: "the worker does not know this front's token: give it the content of DATA/run/token", code: .notAuthorized)
        }
        guard secret.count == Self.secretByteCount else {
            let text =
                "a registration has a secret of \(Self.secretByteCount) random bytes, this one of \(secret.count): choose one with the id"
            return Refused(reason: text, code: .invalidData)
        }
        guard known?.secret.isSameSecret(as: secret) ?? true else {
            return Refused(reason: "worker \(id) is known with another secret: choose another id", code: .notAuthorized)
        }
        return nil
    }

    /// What is wrong with it, independent of its sender; nil: nothing.
    func fault(_ bounds: Bounds) -> String? {
        guard ProtocolVersion.isOffered(from: minimumVersion, to: maximumVersion) else {
            return
                "the worker offers protocol versions \(minimumVersion) to \(maximumVersion), this front supports "
                + "\(ProtocolVersion.current): use a worker of the same release"
        }
        guard (1...MessageBounds.slots).contains(Int(slots)), prefetch <= MessageBounds.prefetch else {
            return "a worker has 1 to \(MessageBounds.slots) slots and takes at most \(MessageBounds.prefetch.grouped) bulk jobs ahead"
        }
        guard loaders.count <= bounds.loadersPerWorker else {
            return "the worker offers \(loaders.count) loaders (limit \(bounds.loadersPerWorker)): share them out to several workers"
        }
        guard loaders.allSatisfy({ PlainName.isName($0.name) }) else { return "a loader has a name that is none: \(PlainName.rule)" }
        var names: Set<String> = []
        if let twice = loaders.first(where: { !names.insert($0.name).inserted }) {
            return "the worker offers the loader \(twice.name) twice: name each once, with one set of properties"
        }
        guard held.count <= bounds.heldLeases else {
            return "the worker holds \(held.count) leases (limit \(bounds.heldLeases)): let it end what it has first"
        }
        return nil
    }
}
