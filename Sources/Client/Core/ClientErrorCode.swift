//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// Why a call of the client failed: a short word, open for words of later versions.
///
/// What the front refuses keeps the front's own word (`FailureCode`), so that one table of words serves everything.
public struct ClientErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The word itself, lowerCamelCase.
    public let rawValue: String

    /// Wraps a word, also one that this version does not know.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The word of a refusal or a failed job.
    public init(_ code: FailureCode) { self.rawValue = code.rawValue }

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
    /// The front does not speak this client's version, or does not let it in.
    public static let refused = Self(rawValue: "refused")
    /// The front's answer does not fit the request.
    public static let unexpectedAnswer = Self(rawValue: "unexpectedAnswer")
    /// The address, topic or name is not one.
    public static let invalidInput = Self(rawValue: "invalidInput")
    /// What was asked for does not exist.
    public static let notFound = Self(rawValue: "notFound")

    /// The word itself.
    public var description: String { rawValue }
}
