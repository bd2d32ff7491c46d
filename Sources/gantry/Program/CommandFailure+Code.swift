//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension CommandFailure {
    /// The word that programs read of a failure: one that wire, page and metrics share, one of a module's errors, or one of this program's own.
    struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The word itself, lowerCamelCase.
        let rawValue: String

        init(rawValue: String) { self.rawValue = rawValue }

        /// The word of an error of a module.
        init(_ code: some CustomStringConvertible) { rawValue = code.description }

        /// What was typed is none of the command's words.
        static let usage = Self(rawValue: "usage")
        /// The configuration has a mistake.
        static let configuration = Self(rawValue: "configuration")
        /// What was named does not exist.
        static let notFound = Self(rawValue: "notFound")
        /// Something is in the way, or has another version.
        static let conflict = Self(rawValue: "conflict")
        /// A file or the output cannot be written.
        static let cannotWrite = Self(rawValue: "cannotWrite")
        /// No socket can be had at an address.
        static let cannotListen = Self(rawValue: "cannotListen")
        /// Somebody else listens at an address.
        static let addressInUse = Self(rawValue: "addressInUse")
        /// The job was cancelled.
        static let cancelled = Self(rawValue: "cancelled")
        /// The command stopped waiting; what was asked for goes on.
        static let detached = Self(rawValue: "detached")
        /// A check of `gantry doctor` found something bad.
        static let checkFailed = Self(rawValue: "checkFailed")
        /// The time that was given is over.
        static let timedOut = Self(rawValue: "timedOut")
        /// What is shown keeps differing from what the front holds.
        static let checksumDiffers = Self(rawValue: "checksumDiffers")
        /// A replica was not whole in time.
        static let notVerified = Self(rawValue: "notVerified")
        /// A process of a measurement did not start, or ended before it.
        static let notStarted = Self(rawValue: "notStarted")
        /// Something is away, full or used up for a moment.
        static let unavailable = Self(rawValue: "unavailable")
        /// The work failed.
        static let failed = Self(rawValue: "failed")
        /// Something is over its bound.
        static let tooLarge = Self(rawValue: "tooLarge")
        /// What was given is not what it should be.
        static let invalidData = Self(rawValue: "invalidData")
        /// A call of the system failed.
        static let system = Self(rawValue: "system")
        /// An error that should not be.
        static let `internal` = Self(rawValue: "internal")

        var description: String { rawValue }
    }
}
