//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// Thrown by a loader whose job is to be run again later: what it waits for is not there yet.
///
/// ```swift
/// guard let report = try await archive.report(of: job.day) else { throw JobSnooze(for: .seconds(300)) }
/// ```
///
/// The job waits for its time as one that was submitted with a delay, and its place in line counts from then. No attempt is used up, however often that
/// happens; `gantry job show` counts it. A job that may not wait for ever has a total time (`JobOptions.totalTimeout`). A feed's job cannot be snoozed.
public struct JobSnooze: Error, Hashable, Sendable {
    /// How long it waits at least, up to ``longest``.
    public let length: Duration

    /// The longest that a job can be snoozed: 30 days.
    package static let longest = SnoozeCount.longest

    /// Again after so long; a length that is negative or over ``longest`` fails the job with `invalidData`.
    public init(for length: Duration) { self.length = length }

    /// How a run ends that threw it.
    /// - Parameter isFeedJob: Whether it works for a feed.
    func end(isFeedJob: Bool) -> WorkEnd {
        guard !isFeedJob else {
            return .failed(LoaderFailure(.invalidData, "the loader snoozed a feed's job: let it fail, so that it is asked again").failure)
        }
        guard length >= .zero, length <= Self.longest else {
            return .failed(
                LoaderFailure(.invalidData, "the loader snoozed its job for \(length.line): give it 0 s to \(JobTime.longestText)").failure)
        }
        return .snoozed(length)
    }
}
