//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// A call of the client that did not do what was asked.
public struct ClientError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which kind.
    public var code: ClientErrorCode
    /// What was being done, to what, with which limit.
    public var context: String
    /// What to do next; empty where there is nothing to do.
    public var nextStep: String
    /// Whether the same call may succeed later.
    public var isRetryable: Bool
    /// When the front said to try again, in milliseconds from its answer; 0 where it said nothing.
    public var retryAfterMilliseconds: UInt32

    /// Joins the parts.
    public init(
        _ code: ClientErrorCode, _ context: String, nextStep: String = "", isRetryable: Bool = false, retryAfterMilliseconds: UInt32 = 0
    ) {
        self.code = code
        self.context = context
        self.nextStep = nextStep
        self.isRetryable = isRetryable
        self.retryAfterMilliseconds = retryAfterMilliseconds
    }

    /// What the front refused, in its own words.
    public init(_ failure: Failure, retryAfterMilliseconds: UInt32 = 0) {
        self.init(
            ClientErrorCode(failure.code), failure.text, isRetryable: failure.retryable, retryAfterMilliseconds: retryAfterMilliseconds)
    }

    /// One sentence: what happened and the next step.
    public var description: String { nextStep.isEmpty ? context : context + ": " + nextStep }
}
