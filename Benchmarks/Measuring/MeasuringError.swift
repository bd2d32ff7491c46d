//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

/// Why a measurement gave no figures.
package struct MeasuringError: CodedError {
    /// The kind of error, a word for programs.
    package struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The word itself, lowerCamelCase.
        package let rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        /// A replica was not whole in time.
        package static let notVerified = Self(rawValue: "notVerified")
        /// A process of the measurement, or the origin, did not start.
        package static let notStarted = Self(rawValue: "notStarted")
        /// A process ended while it was measured.
        package static let processEnded = Self(rawValue: "processEnded")
        /// A job that the measurement needs failed.
        package static let failed = Self(rawValue: "failed")

        package var description: String { rawValue }
    }

    package let code: Code
    package let context: String
    package let nextStep: String
    package var cause: ErrorCause? { nil }

    init(_ code: Code, _ context: String, nextStep: String = "") {
        (self.code, self.context, self.nextStep) = (code, context, nextStep)
    }
}

/// What the front of a measurement keeps of its jobs.
package enum MeasuredDurability: String, CaseIterable, Sendable {
    /// They survive a power cut and the end of the front.
    case full
    /// They survive neither.
    case memory
}
