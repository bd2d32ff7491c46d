//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

// Limits: who may set them, which jobs may name them, and when observers see them otherwise.
extension JobQueue {
    /// The answer to a request about limits.
    mutating func answer(to request: LimitRequest, in turn: inout FrontTurn) -> Reply {
        switch request {
        case .set(let name, let rule): set(name, to: rule, in: &turn)
        case .delete(let name): delete(name, in: &turn)
        }
    }

    private mutating func set(_ name: String, to rule: LimitRule, in turn: inout FrontTurn) -> Reply {
        if let fault = LimitKey(name).fault ?? rule.fault { return .refusal(.invalidData, fault) }
        let (old, count) = (turn.state.jobs.limits.rule(of: name), turn.state.jobs.limits.ruleCount)
        guard old != rule else { return .done(version: 0) }
        guard old != nil || count < turn.settings.bounds.limits else {
            let text = "there are \(count) limits (limit \(turn.settings.bounds.limits)): delete one that nothing needs"
            return turn.busy(.limits, text, retryAfter: RetryPause.long)
        }
        turn.step(turn.state.jobs.limits.useCount(of: name) / TurnContext.scansPerStep)
        turn.record(.limitChanged(JournalEntry.LimitChanged(name, rule)))
        return .done(version: 0)
    }

    private mutating func delete(_ name: String, in turn: inout FrontTurn) -> Reply {
        if let fault = LimitKey(name).fault { return .refusal(.invalidData, fault) }
        guard turn.state.jobs.limits.rule(of: name) != nil else { return .unknownLimit(name) }
        let jobs = turn.state.jobs.limits.jobCount(of: name)
        guard jobs == 0 else {
            let named = jobs == 1 ? "1 job that has not ended names" : "\(jobs) jobs that have not ended name"
            let text = "\(named) the limit \(name): wait for what waits, is scheduled or runs, or cancel it"
            return .refusal(.conflict, text)
        }
        turn.record(.limitChanged(JournalEntry.LimitChanged(name, nil)))
        return .done(version: 0)
    }

    /// Why jobs with these options are not accepted: one names a limit that is not there.
    func refusalOfLimits(of submit: ClientMessage.Submit, in turn: FrontTurn) -> Reply? {
        for options in submit.options.distinct {
            for key in options.limitKeys where turn.state.jobs.limits.rule(of: key.limit) == nil { return .unknownLimit(key.limit) }
        }
        return nil
    }

    /// Limits that are published at once; the others are next time.
    private static var publishedLimits: Int { 64 }

    /// Observers see the limits as often as the counts of jobs, and so do those of waiting jobs the reason that a limit is.
    mutating func publishLimits(in turn: inout FrontTurn) {
        guard turn.state.jobs.limits.hasChanged else { return }
        guard views.mayPublishLimits(clients: turn.state.sessions.connectionCount, in: &turn.context) else { return }
        let changed = turn.state.jobs.takeChangedLimits(Self.publishedLimits)
        turn.step(changed.looks / TurnContext.scansPerStep)
        for name in changed.names { turn.emit(.changed(.limits, key: ItemKey.limit(named: name))) }
        if turn.state.jobs.limits.hasChanged { turn.check(.counts, by: turn.now.monotonic.advanced(by: turn.settings.countsPause)) }
        let jobs = turn.state.jobs
        questionObservedWaits(in: &turn) { !jobs.terms(of: jobs[$0]).options.limitKeys.isEmpty }
        if !waitsInQuestion.isEmpty { turn.check(.waits, by: turn.now.monotonic) }
    }
}

extension Reply {
    /// There is no limit of that name.
    fileprivate static func unknownLimit(_ name: String) -> Reply {
        .refusal(.unknownItem, "no limit is called \"\(name.cut(to: quotedByteCount))\": look at the list of limits, or set it first")
    }
}
