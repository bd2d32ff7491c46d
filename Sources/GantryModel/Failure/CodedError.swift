//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The one shape of errors that are shown to people.
///
/// Why a loop ended, what became of a commit and what is wrong with a message are closed sets, which the caller tells apart and shows as one of these.
/// The code is for programs; the rest is for people, who read it as one sentence: what was being done, what failed, what to do now. Errors
/// of system calls and of sockets have the same parts and no cause; their modules import none of ours.
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
    package var sentence: String { ErrorSentence.text(context, cause, nextStep) }

    /// The sentence.
    public var description: String { sentence }
}

/// The cause of another error, as a value, so that no module above needs the type of the caught error.
public struct ErrorCause: Hashable, Sendable, CustomStringConvertible {
    /// Its code, a word or the number of a system call's error; empty: it has none.
    public let code: String
    /// What people read of it, with all that lies beneath it.
    package let text: String
    /// None or one: a value cannot hold itself.
    private let beneath: [ErrorCause]

    /// A cause in words of one's own.
    package init(code: String, text: String, cause: ErrorCause? = nil) {
        self.code = code
        self.text = text
        beneath = cause.map { [$0] } ?? []
    }

    /// What was caught.
    /// - Parameter code: of an error that is none of ours, or of one of a system call.
    package init(_ error: any Error, code: String = "") {
        if let error = error as? any CodedError {
            self.init(code: error.code.description, text: error.description, cause: error.cause)
        } else {
            self.init(code: code, text: "\(error)")
        }
    }

    /// What lies beneath it.
    public var cause: ErrorCause? { beneath.first }

    public var description: String { text }
}

/// The one place that makes the sentence of an error.
private enum ErrorSentence {
    /// What happened and why.
    static func summary(_ context: String, _ cause: ErrorCause?) -> String { cause.map { "\(context): \($0.text)" } ?? context }

    /// The same and the next step.
    static func text(_ context: String, _ cause: ErrorCause?, _ nextStep: String) -> String {
        nextStep.isEmpty ? summary(context, cause) : "\(summary(context, cause)); \(nextStep)"
    }
}

/// An error that may pass by itself, or may not.
package protocol PassingFault: Error {
    /// Whether the same may succeed later though nobody has mended anything here.
    var mayPass: Bool { get }
}

/// Why a journal cannot be used, whatever kind it is.
package protocol UnusableJournal: PassingFault, CodedError {
    /// The file, folder or address, as given.
    var path: String { get }
    /// Who has it open and will end by itself, and how to find out who that is, for people; nil: nobody has.
    var user: String? { get }
}
