//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// The epochs from which leases of known workers count, and the present one, or the one that is replayed: in order.
///
/// A worker's lease counts from the first epoch that it has not registered with: its last renewal was answered before that began.
struct LeaseEpochs {
    private(set) var all: [JournalEntry.EpochBegan] = []

    /// The latest one; none: none has begun.
    var present: Epoch { all.last?.epoch ?? .none }

    /// One began. Those from which no lease counts are forgotten.
    /// - Parameter oldest: The epoch in which the worker registered last that did so first; nil: no worker is known.
    mutating func begin(_ entry: JournalEntry.EpochBegan, oldest: Epoch?) {
        guard all.last.map({ $0.epoch < entry.epoch }) ?? true else { return }
        all.append(entry)
        let oldest = oldest ?? entry.epoch
        all.removeAll { $0.epoch <= oldest && $0.epoch < entry.epoch }
    }

    /// How long it takes until the leases of workers are over that registered last in an earlier epoch.
    func leaseLeft(of epoch: Epoch, _ settings: FrontSettings) -> Duration {
        let (whole, boot) = (settings.lease + settings.grace, settings.boot)
        guard !boot.id.isEmpty, let began = all.first(where: { $0.epoch > epoch && $0.bootID == boot.id }) else { return whole }
        return min(whole, max(.zero, .milliseconds(began.bootMilliseconds) + whole - boot.uptime))
    }
}
