//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import GantryModel

/// Why a job failed, in the words that every observer shows.
public struct LoaderFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public var code: FailureCode
    /// One sentence that names the thing and the next step; cut at 4,096 bytes.
    public var text: String
    /// Names and values in turn, for a message in another language; 32 texts are sent, each cut at 1,024 bytes.
    public var arguments: [String]
    /// Whether the same job may succeed later: then it is tried again while it has attempts (`RetryRule`), else this is its end.
    public var retryable: Bool
    /// How long the source asked to be left alone, such as an HTTP `Retry-After`: no attempt follows sooner, at most an hour later; nil: it did not.
    public var retryAfter: Duration?

    /// A failure; not retryable unless said so.
    public init(_ code: FailureCode, _ text: String, arguments: [String] = [], retryable: Bool = false, retryAfter: Duration? = nil) {
        self.code = code
        self.text = text
        self.arguments = arguments
        self.retryable = retryable
        self.retryAfter = retryAfter
    }

    /// The sentence.
    public var description: String { text }

    /// The same for the wire; job and attempts are filled in by the worker.
    var failure: Failure {
        Failure(
            code: FailureCode(rawValue: code.rawValue.cut(to: MessageBounds.labelByteCount)),
            text: text.cut(to: MessageBounds.textByteCount),
            arguments: arguments.prefix(MessageBounds.failureArguments).map { $0.cut(to: MessageBounds.failureArgumentByteCount) },
            retryable: retryable, retryAfter: retryAfter)
    }
}
