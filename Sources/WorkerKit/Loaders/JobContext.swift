//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// A job as its loader sees it.
public struct JobContext: Sendable {
    /// The job's id: also the key for origins that honour idempotency keys.
    public let job: JobID
    /// How often it was granted, from 1, this time included.
    public let attempt: UInt32
    /// The front's wall clock when it granted the job.
    public let grantedAt: WallTime
    /// What the job was submitted with: opaque bytes, empty for a feed's job.
    public let argument: [UInt8]
    /// What is to be done for a feed; nil for other jobs.
    public let feedWork: FeedWork?

    private let reporter: @Sendable (Progress) -> Void

    /// A job, for example to try a loader in a test.
    /// - Parameter report: receives every progress report, on the loader's thread.
    public init(
        job: JobID, attempt: UInt32 = 1, grantedAt: WallTime, argument: [UInt8] = [], feedWork: FeedWork? = nil,
        report: @escaping @Sendable (Progress) -> Void = { _ in }
    ) {
        self.job = job
        self.attempt = attempt
        self.grantedAt = grantedAt
        self.argument = argument
        self.feedWork = feedWork
        reporter = report
    }

    /// Says how far the job is. Cheap and never blocking; at most 20 reports a second leave the worker, the last one among them.
    /// - Parameter progress: its message is cut at 256 bytes, its unit at 64.
    public func report(_ progress: Progress) {
        var progress = progress
        progress.message = progress.message.cut(to: MessageBounds.progressByteCount)
        progress.unit = progress.unit.cut(to: MessageBounds.labelByteCount)
        reporter(progress)
    }
}
