//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// When renewals reached the front's socket, and when that socket was read empty.
struct LeaseWatch {
    /// A worker, as its frames tell.
    struct Heard {
        var attachment = AttachmentNumber.none
        var number = RenewalNumber.none
        /// The connection that it registered over last: renewals over another one count for nothing until it registers there.
        var link: Link?
        /// When renewals of this attachment came, in nanoseconds.
        var arrivals: [Int64] = []
        /// Whether it said goodbye.
        var isLeaving = false
    }

    private(set) var epoch = Epoch.none
    private(set) var workers: [WorkerID: Heard] = [:]
    /// The attachment of each worker that the front has decided last.
    var decided: [WorkerID: AttachmentNumber] = [:]
    /// When the workers' socket was read empty since the last row.
    var readEmptyAt: [Int64] = []

    /// When frames with renewals of each worker were read.
    private var reads: [WorkerID: [Int64]] = [:]

    /// How long after its deadline a lease is looked at whatever is unread, in nanoseconds: a front that reads slowly must not keep the
    /// slots of the dead.
    private static let patience: Int64 = 1_000_000_000

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
            case .register: workers[envelope.worker, default: Heard()].link = link
            case .renewal(let number, _, _):
                guard envelope.epoch == epoch else { return }
                var heard = workers[envelope.worker] ?? Heard()
                if envelope.attachment > heard.attachment {
                    (heard.attachment, heard.number, heard.arrivals) = (envelope.attachment, .none, [])
                }
                guard envelope.attachment == heard.attachment, number > heard.number, heard.link === link else { return }
                heard.number = number
                heard.arrivals.append(now)
                if heard.arrivals.count > 32 { heard.arrivals.removeFirst() }
                workers[envelope.worker] = heard
            case .goodbye: workers[envelope.worker, default: Heard()].isLeaving = true
            case .progress, .ended, .cancelStep, .overdue, .draining, .refusedGrants, .unknown, .unreadable: break
            }
        }
    }

    /// The front has read a frame with a renewal.
    mutating func noteRead(_ worker: WorkerID, at now: Int64) {
        guard let link = workers[worker]?.link, !link.isBroken else {
            // The front may know by now that this connection is gone: then nothing counts until the worker registers again.
            workers[worker]?.arrivals = []
            return
        }
        reads[worker, default: []].append(now)
        if reads[worker, default: []].count > 32 { reads[worker]?.removeFirst() }
    }

    /// Whether a worker could be given up at one of the times at which the socket was read empty, or by now because nothing of it was read.
    func mayBeLost(_ id: WorkerID, at now: Int64) -> Bool {
        if reads[id]?.contains(where: { now - limit - Self.patience < $0 }) != true { return true }
        guard let heard = workers[id], !heard.isLeaving, heard.attachment == decided[id] else { return true }
        let patient = now - limit - Self.patience
        return !heard.arrivals.contains { patient < $0 }
            || readEmptyAt.contains { time in !heard.arrivals.contains { time - limit < $0 && $0 <= time } }
    }
}
