//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// One job's story, made when asked.
public struct JobExplanation: Hashable, Sendable {
    /// The job as observers see it.
    public var job: JobSummary
    /// How many jobs are granted before it; nil when it does not wait.
    public var placeInLine: UInt64?
    /// Seconds until it is granted at the pace of the last minute; nil when unknown.
    public var estimateSeconds: Double?
    /// Sentences, oldest first.
    public var story: [String]

    public init(job: JobSummary, placeInLine: UInt64? = nil, estimateSeconds: Double? = nil, story: [String] = []) {
        self.job = job
        self.placeInLine = placeInLine
        self.estimateSeconds = estimateSeconds
        self.story = story
    }
}
