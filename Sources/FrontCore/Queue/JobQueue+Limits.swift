//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns

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
        let values = turn.state.jobs.limits.useCount(of: name)
        // Only a first rate: values of a limit that has one are counted already.
        if rule.refill != nil, old?.refill == nil, let busy = refusalOfValues(values, in: &turn) { return busy }
        turn.step(values / TurnContext.scansPerStep)
        change(name, to: rule, in: &turn)
        return .done(version: 0)
    }

    private mutating func delete(_ name: String, in turn: inout FrontTurn) -> Reply {
        if let fault = LimitKey(name).fault { return .refusal(.invalidData, fault) }
        guard let rule = turn.state.jobs.limits.rule(of: name) else { return .unknownLimit(name) }
        if let configured = turn.state.jobs.limits.configured(name) {
            guard configured != rule else {
                return .refusal(
                    .conflict, "the configuration names the limit \(name): take it out of gantry.yaml and start the front again")
            }
            change(name, to: configured, in: &turn)
            return .done(version: 0)
        }
        let jobs = turn.state.jobs.limits.jobCount(of: name)
        guard jobs == 0 else {
            let named = jobs == 1 ? "1 job that has not ended names" : "\(jobs) jobs that have not ended name"
            let text = "\(named) the limit \(name): wait for what waits, is scheduled or runs, or cancel it"
            return .refusal(.conflict, text)
        }
        change(name, to: nil, in: &turn)
        return .done(version: 0)
    }

    private func change(_ name: String, to rule: LimitRule?, in turn: inout FrontTurn) {
        let (entry, now) = (changed(name, rule, in: turn), lengthTime(in: turn))
        // A bucket may have been full by the old rate, and holds less by the new one: what would have been lost then does not come back.
        turn.state.jobs.notePeaks(of: name, at: now)
        turn.record(.limitChanged(entry))
        turn.state.jobs.notePeaks(of: name, at: now)
    }

    private func changed(_ name: String, _ rule: LimitRule?, in turn: FrontTurn) -> JournalEntry.LimitChanged {
        let (now, lease) = (lengthTime(in: turn), turn.state.jobs.numbers.nextLease)
        return turn.state.jobs.limits.change(of: name, to: rule, at: now, lease: lease)
    }

    /// A front begins: the limits of its configuration say what stands there, unless that is what stood there before. So what a command has set holds
    /// until it is deleted, or the configuration says something new. A limit that is named there no more ends, or stays as if a command had set it
    /// where jobs count in it or one has.
    func configureLimits(in turn: inout FrontTurn) {
        let named = turn.settings.flow.limits
        // Sorted, because the order of a table must not reach the journal.
        for (name, rule) in named.sorted(by: { $0.key < $1.key }) where turn.state.jobs.limits.configured(name) != rule {
            var entry = changed(name, rule, in: turn)
            entry.configured = rule
            turn.record(.limitChanged(entry))
        }
        for name in turn.state.jobs.limits.names where named[name] == nil {
            guard let configured = turn.state.jobs.limits.configured(name) else { continue }
            let rule = turn.state.jobs.limits.rule(of: name)
            let isOver = rule == configured && turn.state.jobs.limits.jobCount(of: name) == 0
            var entry = changed(name, isOver ? nil : rule, in: turn)
            entry.configured = nil
            turn.record(.limitChanged(entry))
        }
    }

    /// Why limits with a rate cannot have so many values more; nil: they can.
    private func refusalOfValues(_ count: Int, in turn: inout FrontTurn) -> Reply? {
        let (known, limit) = (turn.state.jobs.limits.ratedUses, turn.settings.bounds.limitValues)
        guard count > 0, known + count > limit else { return nil }
        let text = "limits with a rate have \(known) values (limit \(limit)): retry when jobs of some have ended and their tokens are back"
        return turn.busy(.limitValues, text, retryAfter: RetryPause.long)
    }

    /// Why jobs with these options are not accepted: one names a limit that is not there, or that can never have room for it, or too many values of
    /// limits with a rate.
    func refusalOfLimits(of submit: ClientMessage.Submit, in turn: inout FrontTurn) -> Reply? {
        var new: Set<LimitKey> = []
        for key in submit.options.distinct.lazy.flatMap(\.limitKeys) {
            guard let rule = turn.state.jobs.limits.rule(of: key.limit) else { return .unknownLimit(key.limit) }
            if let capacity = rule.capacity, key.weight > capacity {
                let text =
                    "a job that takes \(key.weight) permits of the limit \(key.limit) never runs (capacity \(capacity)): let it take fewer"
                return .refusal(.invalidData, "\(text), or raise the limit first")
            }
            if turn.state.jobs.limits.isNewValue(key.unweighted) { new.insert(key.unweighted) }
        }
        return refusalOfValues(new.count, in: &turn)
    }

    /// Why jobs are not accepted for which a limit has no token now that lets none wait; nil: there is none that does, or it has enough. Jobs that
    /// repeat ended ones were accepted once, and wait.
    /// - Parameter counted: Limits in which they count already.
    func refusalBeyondRates(of submit: ClientMessage.Submit, besides counted: [LimitKey] = [], in turn: FrontTurn) -> Reply? {
        guard turn.state.jobs.limits.hasRates else { return nil }
        let limits = turn.state.jobs.limits
        var counts: [LimitKey: Int] = [:]
        let counted = Set(counted.map(\.unweighted))
        for (options, rows) in submit.options.runs(of: submit.arguments.count) where !repeats(options, of: submit, in: turn) {
            for key in options.limitKeys.map(\.unweighted) where limits.refusingRefill(of: key.limit) != nil && !counted.contains(key) {
                counts[key, default: 0] += rows.count
            }
        }
        return refusal(of: counts, "submit", in: turn)
    }

    /// Why a feed is not loaded that somebody asks to load, as a limit that lets none wait has no token for that; nil: it is. What the front loads by
    /// itself waits for one, as everybody waits who joins a load.
    func refusalBeyondRates(ofLoadIn keys: [LimitKey], in turn: FrontTurn) -> Reply? {
        guard turn.state.jobs.limits.hasRates else { return nil }
        let refusing = keys.map(\.unweighted).filter { turn.state.jobs.limits.refusingRefill(of: $0.limit) != nil }
        return refusal(of: Dictionary(refusing.map { ($0, 1) }, uniquingKeysWith: +), "load", in: turn)
    }

    /// Why limits that let none wait do not take so many jobs each; nil: they do.
    private func refusal(of counts: [LimitKey: Int], _ verb: String, in turn: FrontTurn) -> Reply? {
        let (now, limits) = (lengthTime(in: turn), turn.state.jobs.limits)
        let waits = counts.map { (key: $0.key, count: $0.value, time: limits.wait(for: $0.value, of: $0.key, at: now)) }
        // Of several the one that takes longest: before that no repeat helps. Of equal ones the first by name.
        guard let longest = waits.max(by: { ($0.time, $1.key.text) < ($1.time, $0.key.text) }), longest.time > 0,
            let refill = limits.refusingRefill(of: longest.key.limit)
        else {
            return nil
        }
        let before = limits.unstartedJobs(of: longest.key)
        return .rateLimited(longest.key, refill, jobs: longest.count, behind: before, verb, wait: .milliseconds(longest.time))
    }

    /// Whether a job does again what one that has ended did, in the limits of that one: other work under its number was never accepted. Asked of a job
    /// that is submitted alone: clients ask for those that are refused one by one.
    private func repeats(_ options: JobOptions, of submit: ClientMessage.Submit, in turn: FrontTurn) -> Bool {
        guard let ended = options.retryOf, submit.arguments.count == 1, let argument = submit.arguments.first,
            let work = endedWork(ended.rawValue, in: turn)
        else { return false }
        return work.isDone(by: submit.loader, argument) && work.limitKeys == options.limitKeys
    }

    /// Tokens have come since the last turn.
    func passTokens(in turn: inout FrontTurn) {
        guard turn.state.jobs.limits.hasRates, !turn.context.storageIsFull else { return }
        let full = turn.state.jobs.passLimits(to: lengthTime(in: turn))
        if !full.isEmpty { turn.record(.tokensChanged(JournalEntry.TokensChanged(full))) }
    }

    /// It is looked again when the next token comes that a job waits for, and when a bucket that is kept for its tokens alone is full.
    func awaitTokens(in turn: inout FrontTurn) {
        guard let next = turn.state.jobs.limits.nextTime, !turn.context.storageIsFull else { return }
        turn.check(.grants, by: turn.state.jobs.instant(of: next))
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
        if questions.hasWaits { turn.check(.waits, by: turn.now.monotonic) }
        questionLimitedLoads(in: &turn)
    }

    /// Feeds whose loads count in limits show for what those wait now. It costs a look at each feed that has a job in line.
    private mutating func questionLimitedLoads(in turn: inout FrontTurn) {
        let lines = turn.state.jobs.keyLines
        turn.step(lines.keys.count / TurnContext.scansPerStep)
        let first = lines.keys.flatMap { key in KeyLines.Line.allCases.compactMap { lines.first(of: $0, key)?.rawValue } }
        // Suspected ones too: a limit that fills keeps them waiting, be a worker free of others or not.
        let waiting = first.filter { turn.state.jobs[$0].standing.isInLine && lines[$0]?.job.options.limitKeys.isEmpty == false }
        for id in waiting.sorted() { if let load = lines[id]?.job { note(.waits, of: load) } }
        // The feeds that are looked at in this turn were: the next one does.
        if !waiting.isEmpty { turn.check(.waits, by: turn.now.monotonic) }
    }
}

extension FrontTurn {
    /// A submit with the limits, and the rule of retries, that the configuration gives its loader: from then on they are the jobs' own. Mostly there are
    /// none, and nothing is copied.
    func configured(_ submit: ClientMessage.Submit) -> ClientMessage.Submit {
        guard settings.flow.adds(to: submit.loader) else { return submit }
        var submit = submit
        let loader = submit.loader
        submit.options = submit.options.map { settings.flow.options(of: $0, loader: loader) }
        return submit
    }

    /// That of a job with a unique key as it was submitted, where the configuration adds to it: what that adds differs from one start of the front to
    /// the next, and the work is the same. 0: it adds nothing.
    func givenFingerprint(of submit: ClientMessage.Submit) -> UInt64 {
        guard settings.flow.adds(to: submit.loader), let options = submit.options.distinct.first, options.uniqueKey != nil else { return 0 }
        return UniqueKey.fingerprint(of: submit.arguments.bytes, settings.flow.given(in: options, loader: submit.loader))
    }
}

extension Reply {
    /// A limit has no token for so many jobs, and lets none wait.
    /// - Parameters:
    ///   - before: Jobs that were accepted and have not started: the next tokens are theirs.
    ///   - verb: What is to be done again later.
    fileprivate static func rateLimited(
        _ key: LimitKey, _ refill: LimitRefill, jobs: Int, behind before: Int, _ verb: String, wait: Duration
    ) -> Reply {
        let limit = "the limit \(key.text) (\(refill.rate))"
        guard jobs <= refill.burst else {
            let most = "takes at most \(refill.burst) at once and lets none wait, and these are \(jobs)"
            return .refusal(.rateLimited, "\(limit) \(most): submit fewer jobs at once, or raise its burst")
        }
        let more = jobs == 1 ? "one more job" : "\(jobs) more jobs"
        let text = "no token of \(limit) is left for \(more), and jobs without one are refused"
        // Rounded up: to minutes where nobody counts seconds.
        let unit: Int64 = wait < .seconds(120) ? 1 : 60
        let pause = wait < .seconds(1) ? wait : .seconds(((wait.wholeMilliseconds - 1) / (unit * 1_000) + 1) * unit)
        guard jobs + before <= refill.burst else {
            // While what was accepted does not start, because of a pause for one, that is later than the time at which its tokens have come.
            let others = before == 1 ? "1 accepted job takes the next one" : "\(before) accepted jobs take the next ones"
            let later = "when \(before == 1 ? "it has" : "they have") started, in \(pause.longLine) at the earliest"
            let reason = "\(text): \(others); \(verb) again \(later)"
            return .refusal(.rateLimited, reason, arguments: ["limit", key.text], retryAfter: wait)
        }
        return .refusal(.rateLimited, "\(text): \(verb) again in \(pause.longLine)", arguments: ["limit", key.text], retryAfter: wait)
    }

    /// There is no limit of that name.
    fileprivate static func unknownLimit(_ name: String) -> Reply {
        .refusal(.unknownItem, "no limit is called \"\(name.cut(to: quotedByteCount))\"")
    }
}
