//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import GantryModel

/// A call of the client that did not do what was asked.
public struct ClientError: CodedError {
    /// Which kind.
    public var code: ClientErrorCode
    /// What was being done, to what, with which limit.
    public var context: String
    /// What to do next; empty where there is nothing to do.
    public var nextStep: String
    /// Whether the same call may succeed later.
    public var isRetryable: Bool
    /// When the front said to try again, counted from its answer; zero where it said nothing.
    public var retryAfter: Duration
    /// The version that the target has now, where the request named another one (`conflict`); nil elsewhere.
    public var currentVersion: UInt64?
    /// The error beneath, of this side; what the front refuses has none.
    public var cause: ErrorCause?

    /// An error of this side, or what the front answered, with what to do next.
    package init(
        _ code: ClientErrorCode, _ context: String, nextStep: String = "", isRetryable: Bool = false, retryAfter: Duration = .zero
    ) {
        self.code = code
        self.context = context
        self.nextStep = nextStep
        self.isRetryable = isRetryable
        self.retryAfter = retryAfter
    }

    /// What came of another error.
    init(_ code: ClientErrorCode, _ context: String, nextStep: String = "", because cause: ErrorCause) {
        self.init(code, context, nextStep: nextStep)
        self.cause = cause
    }

    /// What the front refused, in its own words.
    package init(_ failure: Failure, retryAfter: Duration = .zero) {
        self.init(
            ClientErrorCode(failure.code), failure.text, nextStep: failure.nextStepOfRefusal ?? "", isRetryable: failure.retryable,
            retryAfter: retryAfter)
        if failure.code == .conflict { currentVersion = failure.argument("version").flatMap { UInt64($0) } }
    }

    /// A frame, a hello or a request that the front could not take, in its own words.
    init(_ refused: Refused) {
        // Data that is invalid is the user's in a request, and this client's in a hello or a frame.
        let isOwn = refused.number == .none && refused.code == .invalidData
        self.init(
            isOwn ? .refused : refused.code.map { ClientErrorCode($0) } ?? .refused, "the front refused what was sent (\(refused.reason))",
            isRetryable: refused.retryAfter > .zero, retryAfter: refused.retryAfter)
    }

    /// One sentence: what happened and the next step.
    public var description: String { nextStep.isEmpty ? summary : summary + ": " + nextStep }
}

/// Why a call of the client failed: a short word, open for words of later versions.
///
/// What the front refuses keeps the front's own word (`FailureCode`), so that one table of words serves everything.
public struct ClientErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The word itself, lowerCamelCase.
    public let rawValue: String

    /// Wraps a word, also one that this version does not know.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The word of a refusal or a failed job.
    package init(_ code: FailureCode) { self.rawValue = code.rawValue }

    /// Nothing answers at the endpoint.
    public static let notConnected = Self(rawValue: "notConnected")
    /// The caller's time limit was reached; the request itself may still be carried out.
    public static let timedOut = Self(rawValue: "timedOut")
    /// The caller's task was cancelled; the request itself may still be carried out.
    public static let cancelled = Self(rawValue: "cancelled")
    /// The client was closed.
    public static let closed = Self(rawValue: "closed")
    /// The session ended before the answer came: the change may or may not have happened.
    public static let outcomeUnknown = Self(rawValue: "outcomeUnknown")
    /// A bound of the client or of the front is reached; try again later.
    public static let busy = Self(rawValue: "busy")
    /// The target has another version than the request named; look again.
    public static let conflict = Self(FailureCode.conflict)
    /// An argument, an item or a batch is over its bound.
    public static let tooLarge = Self(rawValue: "tooLarge")
    /// The front does not support this client's version, or does not let it in.
    public static let refused = Self(rawValue: "refused")
    /// The front's answer does not fit the request.
    public static let unexpectedAnswer = Self(rawValue: "unexpectedAnswer")
    /// The address, topic or name is not one.
    public static let invalidInput = Self(rawValue: "invalidInput")
    /// Somebody cancelled the job whose result is awaited; `cancelled` is the caller's own task.
    public static let jobCancelled = Self(rawValue: "jobCancelled")
    /// The job whose result is awaited expired before it started.
    public static let jobExpired = Self(rawValue: "jobExpired")
    /// What was asked for does not exist.
    public static let notFound = Self(rawValue: "notFound")

    /// The word itself.
    public var description: String { rawValue }
}
