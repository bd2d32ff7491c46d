//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The one shape of errors that leave a module.
///
/// The code is for programs; the rest is for people, who read it as one sentence: what was being done, what came in the way, what to do now.
/// Errors of system calls and of sockets have the same parts, and nothing beneath them; their modules import none of ours.
public protocol CodedError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A word or number, of a set that may grow.
    associatedtype Code: Hashable, Sendable, CustomStringConvertible

    /// The kind of error.
    var code: Code { get }
    /// What was being done, to what, with which limit.
    var context: String { get }
    /// What to do now; empty where nothing helps, or where the context says it.
    var nextStep: String { get }
    /// The error beneath; nil: there is none, or the context says all of it.
    var cause: ErrorCause? { get }
}

extension CodedError {
    /// What happened and why: `the token of /data cannot be used: opening /data/run/token: Permission denied (13)`.
    public var summary: String { ErrorSentence.summary(context, cause) }

    /// The same with the next step.
    public var sentence: String { ErrorSentence.text(context, cause, nextStep) }

    /// The sentence.
    public var description: String { sentence }
}
