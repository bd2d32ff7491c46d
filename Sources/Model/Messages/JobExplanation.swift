//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// One job's timeline, made when asked.
public struct JobExplanation: Hashable, Sendable {
    /// The job as observers see it.
    public var job: JobSummary
    /// What a submitted job works on, at most 64 KiB; empty: nothing, or it is left out because the message would become too large.
    public var argument: [UInt8]
    /// Bytes of the argument, also where that is left out.
    public var argumentByteCount: UInt64
    /// How many jobs are granted before it; nil when it does not wait.
    public var placeInLine: UInt64?
    /// How long until it is granted, as far as the jobs that run and the ends of the last minute tell; nil when unknown.
    public var estimate: Duration?
    /// Sentences, oldest first.
    public var timeline: [String]

    /// A story without an argument, which the caller adds where there is one.
    public init(job: JobSummary, placeInLine: UInt64? = nil, estimate: Duration? = nil, timeline: [String] = []) {
        self.job = job
        self.argument = []
        self.argumentByteCount = 0
        self.placeInLine = placeInLine
        self.estimate = estimate
        self.timeline = timeline
    }
}
