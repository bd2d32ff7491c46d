//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// A lease is looked at so long after its end whatever is still unread: one flooding worker must not keep a dead one's slots. Safe: a
    /// worker's own lease grows only by renewals that the front has read.
    private static var leasePatienceMilliseconds: Int64 { 1_000 }
    /// How soon is looked again at workers of whom something may be unread: shorter than the grace, longer than a turn.
    private static var unreadWorkersMilliseconds: Int64 { 10 }
    /// The same for sessions, which are more and less urgent.
    private static var unreadClientsMilliseconds: Int64 { 100 }
    /// Sessions that end in one turn; the next ones end in the turn after it.
    private static var sessionsEndedAtOnce: Int { 256 }

    /// Deals with everything whose time has come, and finds the next times.
    mutating func checkDeadlines(_ reading: TurnReading, into actions: inout [FrontAction]) {
        guard now.monotonic >= checks.earliest else { return }
        if checks.takeDue(.workers, at: now.monotonic) { checkWorkers(reading, into: &actions) }
        if checks.takeDue(.sessions, at: now.monotonic) { checkSessions(reading, into: &actions) }
        if checks.takeDue(.feeds, at: now.monotonic) { checkFeeds(into: &actions) }
        // These two only bring the turn about: what is to be done is seen in each.
        _ = checks.takeDue(.counts, at: now.monotonic)
        _ = checks.takeDue(.grants, at: now.monotonic)
    }

    private mutating func checkWorkers(_ reading: TurnReading, into actions: inout [FrontAction]) {
        step(state.workers.count)
        let soon = now.monotonic.adding(milliseconds: Self.unreadWorkersMilliseconds)
        for index in state.workers.indices {
            guard let worker = state.workers[index] else { continue }
            if now.monotonic >= worker.settleBy { settle(worker: index, into: &actions) } else { check(.workers, by: worker.settleBy) }
            let judgedAt = reading.isWorkersDone ? worker.lostAt : worker.lostAt.adding(milliseconds: Self.leasePatienceMilliseconds)
            if reading.began >= judgedAt {
                loseWorker(index, into: &actions)
            } else {
                check(.workers, by: min(judgedAt, max(worker.lostAt, soon)))
            }
        }
    }

    private mutating func checkSessions(_ reading: TurnReading, into actions: inout [FrontAction]) {
        guard reading.isClientsDone else {
            return check(.sessions, by: now.monotonic.adding(milliseconds: Self.unreadClientsMilliseconds))
        }
        step(state.sessionOrder.count)
        var ended = 0
        for id in state.sessionOrder {
            guard let session = state.sessions[id.rawValue] else { continue }
            let lapse = session.heardAt.adding(milliseconds: settings.attachmentMilliseconds)
            let end = session.heardAt.adding(milliseconds: settings.sessionMilliseconds)
            if reading.began >= end {
                guard ended < Self.sessionsEndedAtOnce else { return check(.sessions, by: now.monotonic) }
                ended += 1
                endSession(id, into: &actions)
                continue
            }
            if reading.began >= lapse { lapseAttachments(of: id) }
            check(.sessions, by: reading.began >= lapse || session.attachments.isEmpty ? end : lapse)
        }
    }

    private mutating func checkFeeds(into actions: inout [FrontAction]) {
        let keys = lingering
        lingering.removeAll(keepingCapacity: true)
        step(keys.count)
        for key in keys {
            guard let until = state.feeds[key]?.lingerUntil else { continue }
            guard now.monotonic >= until else {
                lingering.append(key)
                check(.feeds, by: until)
                continue
            }
            state.feeds[key]?.lingerUntil = nil
            endUnwantedLoad(key, into: &actions)
        }
    }

    private mutating func endUnwantedLoad(_ key: FeedKey, into actions: inout [FrontAction]) {
        guard let feed = state.feeds[key], feed.attachmentCount == 0, !feed.isAskedFor else { return }
        for job in Array(feed.loadLine.backwards(in: state.feedJobs)) { _ = cancel(job, by: "nobody is attached", into: &actions) }
    }
}
