//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// A page of jobs.
public struct JobPage: Hashable, Sendable {
    /// The jobs, newest first.
    public var jobs: [JobSummary]
    /// Where the next page begins; nil at the end.
    public var next: JobID?
}
