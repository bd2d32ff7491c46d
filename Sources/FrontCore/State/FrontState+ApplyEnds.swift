//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontState {
    /// Jobs have ended: they leave their lines and go into the history with their results.
    mutating func end(_ ended: Fact.EndedJobs, turn: UInt64) {
        var nextFailure = 0
        let results = ended.results.bytes
        let run = arena.storeAll(results)
        for (index, range) in ended.results.ranges.enumerated() {
            let id = ended.jobs[index]
            guard let state = JobState(rawValue: ended.states[index]), state.isFinal else { continue }
            if turn > countsTurn { countEnd(state) }
            guard jobs.contains(id), jobs[id].storedTurn < turn, !jobs[id].state.isFinal else { continue }
            detach(id)
            bytes.queued -= queuedByteCount(of: id)
            arena.release(jobs[id].blob)
            jobs[id].end(as: state, with: arena.take(range, of: results, at: run), at: ended.at)
            // The death that ends it so has no other fact.
            if state == .quarantined { jobs[id].deaths &+= 1 }
            if jobs[id].flags.contains(.isFeedJob) { leaveLine(id) }
            if cancels[id] != nil { cancels[id]?.stoppedAt = ended.at }
            while nextFailure < ended.failures.count, ended.failures[nextFailure].index < UInt32(index) { nextFailure += 1 }
            if nextFailure < ended.failures.count, ended.failures[nextFailure].index == UInt32(index) {
                failures[id] = ended.failures[nextFailure].value
            }
            remember(id, state)
            noteEnded(id)
        }
    }

    /// What a job of `failedHistory` failed with.
    func failureCode(of id: UInt64) -> FailureCode {
        failures[id]?.code ?? (jobs[id].state == .quarantined ? .quarantined : FailureCode(rawValue: "unknown"))
    }

    private mutating func countEnd(_ state: JobState) {
        switch state {
        case .succeeded: counts.succeeded += 1
        case .failed: counts.failed += 1
        case .cancelled, .expired: counts.cancelled += 1
        case .quarantined: counts.quarantined += 1
        case .waiting, .scheduled, .running, .cancelling: break
        }
    }

    /// Puts an ended job into the history.
    mutating func remember(_ id: UInt64, _ state: JobState) {
        jobs[id].place = .history
        if state == .failed || state == .quarantined {
            jobs[id].flags.insert(.inFailedHistory)
            failedHistory.append(id, in: &jobs)
        } else {
            history.append(id, in: &jobs)
        }
    }

    /// Counts an ended job's bytes and failure in. Only a save that failed can be asked to be repeated: of others the item goes.
    mutating func noteEnded(_ id: UInt64) {
        if jobs[id].flags.contains(.inFailedHistory) {
            failureTally.add(failureCode(of: id))
            bytes.failed += endedByteCount(of: id)
        } else {
            if jobs[id].flags.contains(.isFeedJob) { feedJobs[id]?.job.item = [] }
            bytes.ended += endedByteCount(of: id)
        }
    }

    /// Forgets ended jobs over the bounds; not journalled, because forgetting twice is harmless.
    /// - Returns: the forgotten jobs, in the order in which they went.
    mutating func trimHistory(bounds: Bounds) -> [UInt64] {
        var forgotten: [UInt64] = []
        while history.count + failedHistory.count > bounds.endedJobs {
            forgotten.append(forgetJob(history.isEmpty ? failedHistory.first : history.first))
        }
        while bytes.ended > bounds.endedByteCount, !history.isEmpty { forgotten.append(forgetJob(history.first)) }
        while bytes.failed > bounds.endedByteCount, !failedHistory.isEmpty { forgotten.append(forgetJob(failedHistory.first)) }
        return forgotten
    }

    /// Forgets ended jobs that are too old, so many at most; the rest goes with the next call.
    /// - Returns: the forgotten jobs, in the order in which they went.
    mutating func forgetAged(at time: WallTime, bounds: Bounds, atMost limit: Int) -> [UInt64] {
        var forgotten: [UInt64] = []
        while forgotten.count < limit, let next = firstAged(bounds), next.at <= time { forgotten.append(forgetJob(next.job)) }
        return forgotten
    }

    /// When the next ended job is too old; nil: there is none.
    func nextAged(bounds: Bounds) -> WallTime? { firstAged(bounds)?.at }

    private func firstAged(_ bounds: Bounds) -> (job: UInt64, at: WallTime)? {
        func first(of line: JobLine, _ milliseconds: Int64) -> (job: UInt64, at: WallTime)? {
            line.isEmpty ? nil : (line.first, WallTime(milliseconds: jobs[line.first].changedAt).adding(milliseconds: milliseconds))
        }
        let ended = first(of: history, bounds.endedMilliseconds)
        guard let failed = first(of: failedHistory, bounds.failedMilliseconds) else { return ended }
        guard let ended, ended.at <= failed.at else { return failed }
        return ended
    }

    /// Forgets an ended job, and says which.
    private mutating func forgetJob(_ id: UInt64) -> UInt64 {
        if jobs[id].flags.contains(.inFailedHistory) {
            failureTally.remove(failureCode(of: id))
            bytes.failed -= endedByteCount(of: id)
            failedHistory.remove(id, in: &jobs)
        } else {
            bytes.ended -= endedByteCount(of: id)
            history.remove(id, in: &jobs)
        }
        if jobs[id].state == .quarantined, counts.quarantined > 0 { counts.quarantined -= 1 }
        arena.release(jobs[id].blob)
        if !failures.isEmpty { failures[id] = nil }
        if !cancels.isEmpty { cancels[id] = nil }
        if !feedJobs.isEmpty { feedJobs[id] = nil }
        loaderNames.changeJobs(at: Int(jobs[id].loader), by: -1)
        jobTerms.change(at: Int(jobs[id].terms), by: -1)
        jobs.remove(id)
        return id
    }

    /// A feed's job leaves the line of its key; the next one may run.
    mutating func leaveLine(_ id: UInt64) {
        guard let job = feedJobs[id]?.job, let line = FeedRecord.line(of: job.operation) else { return }
        let wasFirst = feeds[job.key]?[keyPath: line].first == job.job
        feeds[job.key]?[keyPath: line].remove(job.job, in: &feedJobs)
        guard wasFirst, let next = feeds[job.key]?[keyPath: line].first.rawValue, jobs.contains(next) else { return }
        guard jobs[next].place == .nowhere, jobs[next].state == .waiting else { return }
        scheduler.insert(next, in: &jobs)
    }
}
