//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns

// Whether jobs are tried again as their rules say, reckoned from the rules alone.
extension QueueWatch {
    /// Attempts failed that are not the last ones of their jobs.
    mutating func checkRetries(_ failed: JournalEntry.AttemptsEnded) {
        for failure in failed.failures {
            let attempt = failed.jobs[Int(failure.index)]
            guard let job = jobs[attempt.job.rawValue] else { continue }
            guard let rule = job.retry else {
                find(.retriesKeepTheirRule, "job \(attempt.job) works for a feed, and is tried again")
                continue
            }
            let most = mostAttempts(of: rule, job.loader, after: failure.value.code)
            let failedAttempts = job.failedAttempts + 1
            jobs[attempt.job.rawValue]?.failedAttempts = failedAttempts
            if failedAttempts >= most || failure.value.attempts != failedAttempts || !failure.value.retryable {
                find(.retriesKeepTheirRule, "job \(attempt.job) is tried again after \(failedAttempts) failed attempts of \(most)")
            }
            let backOff = rule.codes.first { $0.code == failure.value.code }?.backOff
            var pause = backOff?.first ?? rule.backOff.first ?? .seconds(1)
            let longest = backOff?.longest ?? rule.backOff.longest ?? .seconds(600)
            for _ in 1..<failedAttempts where pause < longest { pause = pause * 2 }
            pause = min(pause, longest)
            let asked = min(failure.value.retryAfter ?? .zero, .seconds(3_600))
            let least = max(asked, backOff?.hasJitter ?? rule.backOff.hasJitter ?? true ? .zero : pause)
            let given = Duration.milliseconds(attempt.notBefore - failed.lengthTime)
            // A tenth more than a source asks for, and a millisecond: the clock of lengths begins with none, and no time is not a time.
            guard given >= least, given <= max(pause, asked + asked / 10) + .milliseconds(1) else {
                find(.retriesKeepTheirRule, "job \(attempt.job) waits \(given), not \(least) to \(max(pause, asked))")
                continue
            }
        }
    }

    /// A job ends by a failure that another attempt might have mended only with its last attempt.
    mutating func checkLastAttempts(_ ended: JournalEntry.EndedJobs) {
        for failure in ended.failures where failure.value.retryable {
            let id = ended.jobs[Int(failure.index)]
            guard ended.states[Int(failure.index)] == .failed, let job = jobs[id], let rule = job.retry, job.worker != nil else { continue }
            let most = mostAttempts(of: rule, job.loader, after: failure.value.code)
            guard job.failedAttempts + 1 < most else { continue }
            find(.retriesKeepTheirRule, "job \(id) ends after \(job.failedAttempts + 1) failed attempts of \(most)")
        }
    }

    /// By the rule that the job was accepted with; where that is silent, *never* of its loader's holds all the same.
    private func mostAttempts(of rule: RetryRule, _ loader: String, after code: FailureCode) -> UInt32 {
        if loader == SimulatedLoader.once.declaration.name { return 1 }
        if let own = rule.codes.first(where: { $0.code == code })?.attempts { return own }
        let isFinal = retryRules[loader]?.codes.contains { $0.code == code && $0.attempts == 1 } ?? false
        return isFinal ? 1 : rule.attempts ?? 5
    }
}

extension JournalEntry.FeedJob {
    /// The jobs of its feed that only one may run of at a time; nil: it waits behind none.
    var line: String? {
        switch operation {
        case .load: "\(key) load"
        case .merge, .create, .update: "\(key) edit"
        case .sort, .detail: nil
        }
    }
}

extension JournalEntry.AcceptedJobs {
    /// When the time of a job comes that was submitted with those options; nil: it waits at once.
    func due(_ options: JobOptions) -> JobDue? {
        if let debounce = options.uniqueKey?.debounce { return .length(lengthTime + debounce.quiet.wholeMilliseconds) }
        return switch options.start {
        case .after(let delay): delay > .zero ? .length(lengthTime + delay.wholeMilliseconds) : nil
        case .at(let time): acceptedAt < time ? .point(time) : nil
        case .now: nil
        }
    }
}

extension JournalEntry {
    /// Whether it may stand between the grants of one turn, which are looked at together: what a grant brings about leaves all that waits
    /// where it is.
    var followsGrants: Bool {
        if case .feedChanged = self { return true }
        if case .viewChanged = self { return true }
        if case .idsReserved = self { return true }
        return false
    }
}
