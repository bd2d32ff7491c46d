//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension JournalEntry.EndedJobs {
    /// Adds a job that ended without a result.
    mutating func append(_ id: UInt64, _ state: JobState, failure: Failure? = nil, crashCount: UInt8? = nil) {
        if let crashCount { crashCounts.append(Indexed(index: UInt32(jobs.count), value: crashCount)) }
        if let failure { failures.append(Indexed(index: UInt32(jobs.count), value: failure)) }
        jobs.append(id)
        states.append(state)
        results.appendEmpty()
    }
}
