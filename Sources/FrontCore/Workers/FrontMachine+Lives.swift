//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// When this life of the front began on its machine: what outlives a restart, so that leases of dead workers are not counted anew by each.
public struct BootInstant: Hashable, Sendable {
    /// The boot of the machine, from the kernel; empty where it is unknown.
    public var id: String
    /// CLOCK_BOOTTIME in milliseconds, read after the lock was held: no earlier life decided anything after that.
    public var milliseconds: Int64

    /// An instant of a boot.
    public init(id: String, milliseconds: Int64) {
        self.id = id
        self.milliseconds = milliseconds
    }

    /// Nothing is known of the machine's boot: leases count from each start.
    public static let unknown = BootInstant(id: "", milliseconds: 0)
}

extension FrontState {
    /// A life of the front began. Lives that no known worker's lease counts from are forgotten.
    mutating func begin(_ life: Fact.EpochBegan) {
        guard lives.last.map({ $0.epoch < life.epoch }) ?? true else { return }
        lives.append(life)
        let oldest = workers.compactMap { $0?.life }.min() ?? life.epoch
        lives.removeAll { $0.epoch <= oldest && $0.epoch < life.epoch }
    }

    /// The life that is being lived, or replayed.
    var life: Epoch { lives.last?.epoch ?? .none }

    /// The first life after one, of those that the machine's present boot saw; nil: none is known.
    func firstLife(after epoch: Epoch, bootID: String) -> Fact.EpochBegan? {
        lives.first { $0.epoch > epoch && $0.bootID == bootID }
    }
}

extension FrontMachine {
    /// Records that this life began, and frees the slots of recorded grants when the leases of their holders are over.
    ///
    /// A worker that has registered with an earlier life and with none since had its last renewal answered before the next life began:
    /// its leases count from then. So a front that is killed again and again still gives a dead worker's jobs to others in time.
    mutating func beginLife(at time: FrontTime) {
        let boot = turn.settings.boot
        record(
            .epochBegan(Fact.EpochBegan(epoch: turn.settings.epoch, bootID: boot.id, bootMilliseconds: boot.milliseconds)))
        for index in state.workers.indices {
            guard let worker = state.workers[index] else { continue }
            let end = time.monotonic.adding(milliseconds: leaseLeft(of: worker.life))
            state.workers[index]?.leaseEnd = end
            state.workers[index]?.isAttached = false
            turn.check(.lease(worker: index), by: end)
            watchProcess(ofWorker: index)
        }
    }

    /// Milliseconds until the leases of workers are over that registered last in an earlier life.
    private func leaseLeft(of life: Epoch) -> Int64 {
        let whole = turn.settings.leaseMilliseconds + turn.settings.graceMilliseconds
        guard !turn.settings.boot.id.isEmpty, let began = state.firstLife(after: life, bootID: turn.settings.boot.id) else { return whole }
        return min(whole, max(0, began.bootMilliseconds + whole - turn.settings.boot.milliseconds))
    }
}
