//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension WorkerMessage.Registration {
    /// Bytes of a worker's secret.
    private static let secretByteCount = 32

    /// Why whoever sends it is not believed to be that worker; nil: it is. Ids are public, in the topic of workers: only the secret that came
    /// with the first registration proves that a later one is of the same process.
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

    /// What is wrong with it, whoever sends it; nil: nothing.
    func fault(_ bounds: Bounds) -> String? {
        guard minimumVersion <= ProtocolVersion.current, maximumVersion >= ProtocolVersion.current else {
            return
                "the worker offers protocol versions \(minimumVersion) to \(maximumVersion), this front speaks "
                + "\(ProtocolVersion.current): use a worker of the same release"
        }
        guard (1...MessageBounds.slots).contains(Int(slots)), prefetch <= MessageBounds.prefetch else {
            return "a worker has 1 to \(MessageBounds.slots) slots and takes at most \(MessageBounds.prefetch.grouped) bulk jobs ahead"
        }
        guard loaders.count <= bounds.loadersPerWorker else {
            return "the worker offers \(loaders.count) loaders (limit \(bounds.loadersPerWorker)): share them out to several workers"
        }
        guard loaders.allSatisfy({ FeedKey.isName($0.name) }) else { return "a loader has a name that is none: \(FeedKey.nameRule)" }
        var names: Set<String> = []
        if let twice = loaders.first(where: { !names.insert($0.name).inserted }) {
            return "the worker offers the loader \(twice.name) twice: say each once, with one set of properties"
        }
        guard held.count <= bounds.heldLeases else {
            return "the worker holds \(held.count) leases (limit \(bounds.heldLeases)): let it end what it has first"
        }
        return nil
    }
}
