//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel

/// Which bounds a world meets that are seen in what the front sends: a tiny bound that is drawn and never reached shows nothing.
extension Ledger {
    /// What the last frame to a client was, for the next may be the rest of it.
    struct LastFrame {
        let peer: PeerID
        let session: SessionID
        let byteCount: Int
        let time: Int64
    }

    /// The front sends a frame to a client.
    func noteBounds(in envelope: FrontEnvelope, byteCount: Int, to peer: PeerID) {
        let isSnapshot = envelope.messages.contains { message in
            if case .snapshot = message { true } else { false }
        }
        if !isSnapshot {
            let frame = LastFrame(peer: peer, session: envelope.session, byteCount: byteCount, time: world.now)
            if let last = lastFrame, last.peer == peer, last.session == frame.session, last.time == frame.time,
                last.byteCount + byteCount > world.variation.loop.largestFrame
            {
                world.metBounds.count(.largestFrame)
            }
            lastFrame = frame
        }
        for message in envelope.messages { noteBounds(in: message) }
    }

    private func noteBounds(in message: FrontMessage) {
        switch message {
        case .reply(_, .jobs(_, .some, _), _): world.metBounds.count(.pageByteCount)
        case .reply(_, .refused(let failure, _), _): noteBounds(in: failure)
        case .answers(let answers): if answers.jobs.count == world.variation.bounds.answerRows { world.metBounds.count(.answerRows) }
        case .snapshot(let part): if part.part + 1 < part.partCount { world.metBounds.count(.snapshotParts) }
        case .sessionEnded: world.metBounds.count(.sessionGracePeriod)
        case .reply, .snapshotRefused, .refused, .welcome, .heartbeat, .resumeFirst, .unknown: break
        }
    }

    private func noteBounds(in failure: Failure) {
        guard failure.code == .tooLarge else { return }
        let (bounds, usual) = (world.variation.bounds, Bounds())
        if failure.text.hasPrefix("the item's id"), bounds.itemIDByteCount < usual.itemIDByteCount {
            world.metBounds.count(.itemIDByteCount)
        }
        if failure.text.contains("over \(bounds.payloadByteCount) bytes"), bounds.payloadByteCount < usual.payloadByteCount {
            world.metBounds.count(.payloadByteCount)
        }
    }

    /// An entry is durable.
    func noteBounds(in entry: JournalEntry) {
        if case .viewForgotten = entry { world.metBounds.count(.viewAge) }
        if case .granted(let granted) = entry { checkBounds(of: granted) }
        guard case .workLeft(let left) = entry, left.cursor != nil else { return }
        switch left.work {
        case .damage: world.metBounds.count(.damageLooks)
        case .loss: world.metBounds.count(.lostJobs)
        case .reset: world.metBounds.count(.resetJobs)
        case .bulk(let bulk): if bulk.done + bulk.passedOver > 0 { world.metBounds.count(.bulkActionJobs) }
        }
    }

    /// A turn grants no more than its bytes, and one batch: of jobs that take no less than that.
    private func checkBounds(of granted: JournalEntry.GrantedJobs) {
        let (leastByteCount, batch) = (128, 64)
        let most = world.variation.bounds.turnGrantByteCount / leastByteCount + batch
        if granted.jobs.count > most {
            world.violate(.boundsHold, "a turn grants \(granted.jobs.count) jobs to a worker, where \(most) may be")
        }
    }

    /// The front sends a message to a worker.
    func noteBounds(in message: WorkerBoundMessage) {
        switch message {
        case .grant(let grant): if grant.jobs.count == world.variation.bounds.grantJobs { world.metBounds.count(.grantJobs) }
        case .refused(let refused):
            if refused.reason.contains("loaders (limit") { world.metBounds.count(.loadersPerWorker) }
            if refused.reason.contains("leases (limit") { world.metBounds.count(.heldLeases) }
        case .registered, .cancel, .renewed, .acknowledged, .drain, .reregister, .unknown, .unreadable: break
        }
    }
}
