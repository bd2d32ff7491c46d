//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Why something failed: the same short word on the wire, in the terminal, on the page and in metrics.
public struct FailureCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The word itself, lowerCamelCase.
    public let rawValue: String

    /// Wraps a word, also one that this version does not know.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The origin cannot be reached.
    public static let unreachable = Self(rawValue: "unreachable")
    /// The origin answered with a status other than 200.
    public static let httpStatus = Self(rawValue: "httpStatus")
    /// What was read is not what the configuration describes.
    public static let invalidData = Self(rawValue: "invalidData")
    /// A body, list or payload is over its bound.
    public static let tooLarge = Self(rawValue: "tooLarge")
    /// A time limit was reached.
    public static let timedOut = Self(rawValue: "timedOut")
    /// The origin redirected more often than allowed.
    public static let tooManyRedirects = Self(rawValue: "tooManyRedirects")
    /// The address is not on the allow-list.
    public static let forbiddenAddress = Self(rawValue: "forbiddenAddress")
    /// No feed of that name is configured.
    public static let unknownFeed = Self(rawValue: "unknownFeed")
    /// The feed's items have no such field.
    public static let unknownField = Self(rawValue: "unknownField")
    /// The list has no item of that id.
    public static let unknownItem = Self(rawValue: "unknownItem")
    /// No loader of that name exists.
    public static let unknownLoader = Self(rawValue: "unknownLoader")
    /// The worker was lost and the job was not run again.
    public static let workerLost = Self(rawValue: "workerLost")
    /// The work may or may not have happened, and must not be repeated by itself.
    public static let outcomeUnknown = Self(rawValue: "outcomeUnknown")
    /// As many workers died of the job's runs as may: three, unless the front is set otherwise.
    public static let quarantined = Self(rawValue: "quarantined")
    /// The disk is full.
    public static let storageFull = Self(rawValue: "storageFull")
    /// The disk failed.
    public static let storageFailed = Self(rawValue: "storageFailed")
    /// Somebody cancelled it.
    public static let cancelled = Self(rawValue: "cancelled")
    /// A bound is reached; try again later.
    public static let busy = Self(rawValue: "busy")
    /// The target has another version than the request saw; the current one is named.
    public static let conflict = Self(rawValue: "conflict")
    /// The loader itself broke down; another run may succeed.
    public static let loaderFailed = Self(rawValue: "loaderFailed")
    /// No secure connection to the origin came about.
    public static let secureConnectionFailed = Self(rawValue: "secureConnectionFailed")
    /// Who asks may not do that.
    public static let notAuthorized = Self(rawValue: "notAuthorized")

    /// The word itself.
    public var description: String { rawValue }
}
