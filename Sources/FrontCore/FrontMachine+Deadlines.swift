//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// Deals with everything whose time has come, and finds the next time.
    ///
    /// - Parameter instant: up to when everything that came was read; nobody is late by a later time. Nil: not everything was read.
    mutating func checkDeadlines(readUpTo instant: MonotonicTime?, into actions: inout [FrontAction]) {
        nextCheck = .distantFuture
        let soon = instant == nil ? now.monotonic.adding(milliseconds: 10) : MonotonicTime(nanoseconds: 0)
        for index in state.workers.indices {
            guard let worker = state.workers[index] else { continue }
            if now.monotonic >= worker.settleBy { settle(worker: index, into: &actions) } else { check(by: worker.settleBy) }
            if let instant, instant >= worker.lostAt { loseWorker(index, into: &actions) } else { check(by: max(worker.lostAt, soon)) }
        }
        for id in state.sessionOrder { checkSession(id, readUpTo: instant ?? MonotonicTime(nanoseconds: 0), soon, into: &actions) }
        for key in state.feedOrder {
            guard let until = state.feeds[key]?.lingerUntil else { continue }
            guard now.monotonic >= until else {
                check(by: until)
                continue
            }
            state.feeds[key]?.lingerUntil = nil
            endUnwantedLoad(key, into: &actions)
        }
    }

    private mutating func checkSession(
        _ id: SessionID, readUpTo instant: MonotonicTime, _ soon: MonotonicTime, into actions: inout [FrontAction]
    ) {
        guard let session = state.sessions[id.rawValue] else { return }
        let lapse = session.heardAt.adding(milliseconds: settings.attachmentMilliseconds)
        let end = session.heardAt.adding(milliseconds: settings.sessionMilliseconds)
        if instant >= end { return endSession(id, into: &actions) }
        if instant >= lapse { lapseAttachments(of: id) }
        check(by: max(instant >= lapse || session.attachments.isEmpty ? end : lapse, soon))
    }

    private mutating func endUnwantedLoad(_ key: FeedKey, into actions: inout [FrontAction]) {
        guard let feed = state.feeds[key], feed.attachmentCount == 0, !feed.isAskedFor else { return }
        for job in feed.loadLine { _ = cancel(job, by: "nobody is attached", into: &actions) }
    }
}
