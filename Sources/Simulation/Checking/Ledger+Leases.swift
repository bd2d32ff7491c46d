//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import Wire

/// A worker that lives is given up only when the front had read everything that had come and found no renewal for a lease and its grace.
extension Ledger {
    /// A worker's frame has reached the front's socket.
    ///
    /// - Parameter clock: What the front's own clock shows, in nanoseconds.
    /// - Returns: The worker, if the frame renews its leases.
    func arrived(_ bytes: [UInt8], from link: Link, clock: Int64) -> WorkerID? {
        guard !(link.endpoint.owner is Hostile) else { return nil }
        do {
            let envelope = try WireCodec().decodeWorker(bytes)
            leases.arrived(envelope, from: link, at: clock)
            noteReports(envelope, from: link.peer)
            for message in envelope.messages {
                world.note(
                    "at the front from worker \(envelope.worker.rawValue % 10_000), registration \(envelope.registrationNumber): \(message)"
                )
            }
            let isRenewal = envelope.messages.contains { message in
                if case .renewal = message { true } else { false }
            }
            return isRenewal ? envelope.worker : nil
        } catch {
            world.violate(.framesAreReadable, "\(error)")
            return nil
        }
    }

    /// The front found the workers' socket empty.
    ///
    /// - Parameter clock: What its own clock shows, in nanoseconds.
    func workersWereReadEmpty(clock: Int64) { leases.readEmptyAt.append(clock) }

    /// Looks for lost workers in a row that is handed over.
    func checkLosses(_ entries: [JournalEntry]) {
        for entry in entries {
            if case .workerRegistered(let registered) = entry { leases.decided[registered.worker] = registered.registrationNumber }
            if case .workerLost(let lost) = entry {
                let id = lost.worker
                world.note("worker \(id.rawValue % 10_000) is given up")
                let clock = world.front?.reading(at: world.now).nanoseconds ?? 0
                if queue.slots[id] != nil, world.isAlive(id), !leases.mayBeLost(id, at: clock) {
                    world.violate(.renewedIsKept, "worker \(id.rawValue % 10_000), its renewals had come")
                }
            }
        }
        leases.readEmptyAt.removeAll(keepingCapacity: true)
    }
}
