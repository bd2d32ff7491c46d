//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// Deals with everything whose time has come, and finds the next time. Leases only if the workers' socket was read empty.
    mutating func checkDeadlines(workersDrained: Bool, into actions: inout [FrontAction]) {
        nextCheck = .distantFuture
        for index in state.workers.indices {
            guard let worker = state.workers[index] else { continue }
            if now.monotonic >= worker.settleBy { settle(worker: index, into: &actions) } else { check(by: worker.settleBy) }
            guard now.monotonic >= worker.lostAt else {
                check(by: worker.lostAt)
                continue
            }
            if workersDrained { loseWorker(index, into: &actions) } else { check(by: now.monotonic.adding(milliseconds: 10)) }
        }
        for id in state.sessionOrder { checkSession(id, into: &actions) }
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

    private mutating func checkSession(_ id: SessionID, into actions: inout [FrontAction]) {
        guard let session = state.sessions[id.rawValue] else { return }
        let lapse = session.heardAt.adding(milliseconds: settings.attachmentMilliseconds)
        let end = session.heardAt.adding(milliseconds: settings.sessionMilliseconds)
        if now.monotonic >= end {
            endSession(id, into: &actions)
        } else if now.monotonic >= lapse {
            lapseAttachments(of: id)
            check(by: end)
        } else {
            check(by: session.attachments.isEmpty ? end : lapse)
        }
    }

    private mutating func endUnwantedLoad(_ key: FeedKey, into actions: inout [FrontAction]) {
        guard let feed = state.feeds[key], feed.attachmentCount == 0, !feed.isAskedFor else { return }
        for job in feed.loadLine { _ = cancel(job, by: "nobody is attached", into: &actions) }
    }
}
