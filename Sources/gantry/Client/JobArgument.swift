//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Model

/// The id of a job on the command line.
struct JobArgument: ParsableArguments {
    @Argument(help: "The job's id, as `gantry job list` shows it.")
    var job: UInt64

    /// The job.
    var id: JobID { JobID(job) }
}
