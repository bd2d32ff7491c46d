//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser

/// `gantry job`: everything that is done with jobs.
struct JobCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "job", abstract: "Submit, look at, explain and cancel jobs.",
        discussion: "Example: gantry job list --state waiting --output json",
        subcommands: [JobSubmit.self, JobList.self, JobShow.self, JobExplain.self, JobCancel.self, JobWait.self])
}
