//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FeedMachine {
    /// Notes whether a feed waits, and for what.
    mutating func noteWait(of feed: FeedState, in turn: inout FrontTurn) {
        guard case .waiting(let job, _) = feed.activity else { return waiting.note(feed.key, waitsFor: nil) }
        waiting.note(feed.key, waitsFor: turn.state.jobs.keyLines[job.rawValue]?.job.loader ?? "")
    }

    /// Tells observers of feeds and jobs when the reason of a wait has changed.
    mutating func refreshWaits(queue: inout JobQueue, in turn: inout FrontTurn) {
        let changed = turn.state.jobs.ask { scheduler, _ in scheduler.takeChangedOffers() }
        for loader in changed { turn.step(waiting.lookAgain(atThoseOf: turn.state.jobs.loaderNames[loader])) }
        if queue.takeAllWaitsInQuestion() {
            turn.step(waiting.lookAgainAtAll())
            queue.questionObservedWaits(in: &turn)
        } else if !changed.isEmpty {
            queue.questionObservedWaits(for: Set(changed), in: &turn)
        }
        queue.notifyObservedWaits(in: &turn)
        for _ in 0..<turn.settings.bounds.waitLooks {
            guard let key = waiting.next() else { return }
            turn.step()
            guard var feed = turn.state.feeds[key]?.state, case .waiting(let job, _) = feed.activity,
                let reason = queue.waitReason(job.rawValue, in: turn)
            else {
                continue
            }
            feed.activity = .waiting(job, reason)
            set(feed, in: &turn)
        }
        if waiting.hasDue { turn.check(.waits, by: turn.now.monotonic) }
    }

    /// A feed whose reason to wait is another one than it shows, though nothing calls it in question; nil: there is none. For whoever checks
    /// the machine from outside.
    func staleWait(queue: JobQueue, in turn: FrontTurn) -> String? {
        for key in waiting.unquestioned {
            guard case .waiting(let job, let shown)? = turn.state.feeds[key]?.state.activity,
                let reason = queue.waitReason(job.rawValue, in: turn),
                shown != reason
            else { continue }
            return "feed \(key) waits as \(shown), and job \(job) as \(reason)"
        }
        return nil
    }
}
