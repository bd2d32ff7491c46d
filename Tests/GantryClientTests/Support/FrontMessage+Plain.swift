//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns

extension FrontMessage.Welcome {
    /// The welcome of a front that names where its changes are.
    static func open(session: SessionID, isResumed: Bool) -> Self {
        var welcome = Self(session: session, isResumed: isResumed)
        welcome.changesEndpoint = "ipc:///run/changes"
        return welcome
    }
}

extension FrontMessage.Answers {
    /// Outcomes, a row for each job.
    init(jobs: [UInt64], states: [JobState], results: PackedBytes) {
        self.init()
        (self.jobs, self.states, self.results) = (jobs, states, results)
    }
}
