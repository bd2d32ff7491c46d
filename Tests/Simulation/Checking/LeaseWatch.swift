//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryWire

/// When renewals reached the front's socket, and when that socket was read empty.
struct LeaseWatch {
    /// A worker, as its frames tell.
    struct Received {
        var registrationNumber = RegistrationNumber.none
        var number = RenewalNumber.none
        /// The connection that it registered over last: renewals over another one count for nothing until it registers there.
        var link: Link?
        /// When renewals of this attachment came, in nanoseconds.
        var arrivals: [Int64] = []
        /// Whether it sent close.
        var isLeaving = false
    }

    private(set) var epoch = Epoch.none
    private(set) var workers: [WorkerID: Received] = [:]
    /// The attachment of each worker that the front has decided last.
    var decided: [WorkerID: RegistrationNumber] = [:]
    /// When the workers' socket was read empty since the last row.
    var readEmptyAt: [Int64] = []

    /// When frames with renewals of each worker were read.
    private var reads: [WorkerID: [Int64]] = [:]

    /// How long after its deadline a lease is looked at whatever is unread, in nanoseconds: a front that reads slowly must not keep the
    /// slots of the dead.
    private static let gracePeriod: Int64 = 1_000_000_000

    /// Lease and grace, in nanoseconds.
    private let limit: Int64

    /// - Parameter milliseconds: Lease and grace.
    init(loss: Duration) { limit = loss.wholeNanoseconds }

    mutating func begin(_ epoch: Epoch) {
        self.epoch = epoch
        workers = [:]
        decided = [:]
        reads = [:]
        readEmptyAt = []
    }

    mutating func arrived(_ envelope: WorkerEnvelope, from link: Link, at now: Int64) {
        for message in envelope.messages {
            switch message {
            case .register: workers[envelope.worker, default: Received()].link = link
            case .renewal(let number, _, _):
                guard envelope.epoch == epoch else { return }
                var received = workers[envelope.worker] ?? Received()
                if envelope.registrationNumber > received.registrationNumber {
                    (received.registrationNumber, received.number, received.arrivals) = (envelope.registrationNumber, .none, [])
                }
                guard envelope.registrationNumber == received.registrationNumber, number > received.number, received.link === link else {
                    return
                }
                received.number = number
                received.arrivals.append(now)
                if received.arrivals.count > 32 { received.arrivals.removeFirst() }
                workers[envelope.worker] = received
            case .close: workers[envelope.worker, default: Received()].isLeaving = true
            case .progress, .ended, .cancelStep, .overdue, .draining, .refusedGrants, .log, .unknown, .unreadable: break
            }
        }
    }

    /// The front has read a frame with a renewal.
    mutating func noteRead(_ worker: WorkerID, at now: Int64) {
        guard let link = workers[worker]?.link, !link.isBroken else {
            // The front may know by now that this connection is gone: then nothing counts until the worker reregisters.
            workers[worker]?.arrivals = []
            return
        }
        reads[worker, default: []].append(now)
        if reads[worker, default: []].count > 32 { reads[worker]?.removeFirst() }
    }

    /// Whether a worker could be given up at one of the times at which the socket was read empty, or by now because nothing of it was read.
    func mayBeLost(_ id: WorkerID, at now: Int64) -> Bool {
        if reads[id]?.contains(where: { now - limit - Self.gracePeriod < $0 }) != true { return true }
        guard let received = workers[id], !received.isLeaving, received.registrationNumber == decided[id] else { return true }
        let patient = now - limit - Self.gracePeriod
        return !received.arrivals.contains { patient < $0 }
            || readEmptyAt.contains { time in !received.arrivals.contains { time - limit < $0 && $0 <= time } }
    }
}

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
                if case .close = message { queue.ends(envelope.worker) }
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
                // It may be named once more, when the front forgets that it was to drain.
                leases.decided[id] = nil
            }
        }
        leases.readEmptyAt.removeAll(keepingCapacity: true)
    }
}
