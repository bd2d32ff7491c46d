//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser

/// `gantry job`: everything that is done with jobs.
struct JobCommand: AsyncParsableCommand {
    /// For how long the front knows jobs, as its bounds say; for the help of what looks at them.
    static let kept = "Ended jobs are known for 24 hours, failed and quarantined ones for 7 days, of either the newest 100,000."

    static let configuration = CommandConfiguration(
        commandName: "job", abstract: "Submit, look at, explain, reprioritize and cancel jobs.",
        discussion: "Example: gantry job list --state waiting --output json",
        subcommands: [
            JobSubmit.self, JobList.self, JobShow.self, JobExplain.self, JobReprioritize.self, JobCancel.self, JobWait.self,
        ])
}
