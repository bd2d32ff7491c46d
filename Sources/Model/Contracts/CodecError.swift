//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Bytes that are not what they should be.
public struct CodecError: CodedError {
    /// What was being read.
    public var what: String
    /// What is wrong with it.
    public var reason: String
    /// The kind of fault: `invalidData`, or `tooLarge` for what is over a bound.
    public var code: FailureCode

    public init(what: String, reason: String, code: FailureCode = .invalidData) {
        self.what = what
        self.reason = reason
        self.code = code
    }

    /// Both in one sentence.
    public var context: String { "\(what) cannot be read: \(reason)" }

    /// Whoever sent the bytes is told what is wrong with them.
    public var nextStep: String { "" }

    /// Nothing lies beneath: the bytes are what was looked at.
    public var cause: ErrorCause? { nil }
}
