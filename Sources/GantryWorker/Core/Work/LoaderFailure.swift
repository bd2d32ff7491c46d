//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import GantryModel

/// Why a job failed, in the words that every observer shows.
public struct LoaderFailure: CodedError {
    /// The kind of failure: a code of Gantry, or one of your own, a small letter and up to 63 letters and digits; what is none is sent as `loaderFailed`.
    public var code: FailureCode
    /// What failed, and at what; it may say the next step itself.
    public var context: String
    /// What to do now; empty where the context says it.
    public var nextStep: String
    /// The error beneath, for the worker's log alone: its text may carry addresses with tokens, and every observer reads `text`.
    public let cause: ErrorCause?
    /// Names and values in turn, for a message in another language; 32 texts are sent, each cut at 1,024 bytes.
    public var arguments: [String]
    /// Whether the same job may succeed later: then it is tried again while it has attempts (`RetryRule`), else this is its end.
    public var retryable: Bool
    /// How long the source asked to be left alone, such as an HTTP `Retry-After`: no attempt follows sooner, at most an hour later; nil: it did not.
    public var retryAfter: Duration?

    /// A failure; not retryable unless said so.
    /// - Parameter cause: the error that was caught.
    public init(
        _ code: FailureCode, _ context: String, nextStep: String = "", arguments: [String] = [], retryable: Bool = false,
        retryAfter: Duration? = nil, cause: (any Error)? = nil
    ) {
        self.code = code
        self.context = context
        self.nextStep = nextStep
        self.arguments = arguments
        self.retryable = retryable
        self.retryAfter = retryAfter
        self.cause = cause.map { ErrorCause($0) }
    }

    /// A failure after which the job is never tried again, whatever its retry rule says: what it works on cannot be done.
    public static func discard(_ context: String, nextStep: String = "", cause: (any Error)? = nil) -> LoaderFailure {
        LoaderFailure(.loaderFailed, context, nextStep: nextStep, retryable: false, cause: cause)
    }

    /// The sentence that is sent, without the cause; cut at 4,096 bytes.
    package var text: String { nextStep.isEmpty ? context : "\(context); \(nextStep)" }

    /// The same for the wire; job and attempts are filled in by the worker.
    var failure: Failure {
        Failure(
            code: code.wellFormed,
            text: text.cut(to: MessageBounds.textByteCount),
            arguments: arguments.prefix(MessageBounds.failureArguments).map { $0.cut(to: MessageBounds.failureArgumentByteCount) },
            retryable: retryable, retryAfter: retryAfter)
    }
}

/// Thrown by a loader whose job is to be run again later: what it waits for is not there yet.
///
/// ```swift
/// guard let report = try await archive.report(of: job.day) else { throw JobSnooze(for: .seconds(300)) }
/// ```
///
/// The job waits for its time as one that was submitted with a delay, and its place in line counts from then. No attempt is used up, however often that
/// happens; `gantry job show` counts it. A job that may not wait for ever has a total time (`JobOptions.totalTimeout`). A feed's job cannot be snoozed.
public struct JobSnooze: Error, Hashable, Sendable {
    /// How long it waits at least, up to 30 days.
    public let length: Duration

    /// The longest that a job can be snoozed: 30 days.
    package static let longest = SnoozeCount.longest

    /// Again after so long; a length that is negative or over 30 days fails the job with `invalidData`.
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
