//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension JobQueue {
    /// Gives a waiting job another priority: it stands in line as if it had been accepted with that, and loses nothing of its waiting.
    mutating func reprioritize(_ job: JobID, to priority: UInt8, in turn: inout FrontTurn) -> Reply {
        let id = job.rawValue
        var usual = JobOptions()
        usual.priority = priority
        if let fault = usual.fault { return .refusal(.invalidData, fault) }
        guard let state = turn.state.jobs.state(of: id) else { return .unknownJob(job) }
        guard state == .waiting else {
            return .refusal(.conflict, "job \(job) is \(state.name): only a waiting job gets another priority")
        }
        let record = turn.state.jobs[id]
        let current = turn.state.jobs.terms(of: record).options
        var options = current
        options.priority = priority
        if options != current {
            let rank = RankClock.rank(of: options, at: RankClock.time(of: record.rank, current))
            turn.record(.termsChanged(JournalEntry.TermsChanged(job, options, rank: rank)))
            noteJob(id, ItemKey.job, in: &turn)
        }
        return .done(version: 0)
    }
}
