//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import Wire

/// A worker is given up only when the front had read everything that had come and found no renewal for a lease and its grace.
extension Ledger {
    /// A worker's frame has reached the front's socket.
    func arrived(_ bytes: [UInt8], at epoch: Epoch) {
        do {
            let envelope = try WireCodec().decodeWorker(bytes)
            leases.arrived(envelope, at: world.now)
            for message in envelope.messages {
                world.note("at the front from worker \(envelope.worker.rawValue % 10_000), attachment \(envelope.attachment): \(message)")
            }
        } catch {
            world.violate("every frame can be read", "\(error)")
        }
    }

    /// The front found the workers' socket empty.
    func workersWereReadEmpty() { leases.readEmptyAt.append(world.now) }

    /// Looks for lost workers in a row that is handed over.
    func checkLosses(_ facts: [Fact]) {
        for fact in facts {
            if case .workerAttached(let id, let attachment, _) = fact { leases.decided[id] = attachment }
            if case .workerLost(let id) = fact {
                world.note("worker \(id.rawValue % 10_000) is given up")
                if !leases.mayBeLost(id) {
                    world.violate("a worker that renewed in time is not given up", "worker \(id.rawValue % 10_000), its renewals had come")
                }
            }
        }
        leases.readEmptyAt.removeAll(keepingCapacity: true)
    }
}
