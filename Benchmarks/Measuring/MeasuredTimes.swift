//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel
package import StateFormatting

/// What a measurement has found.
package protocol MeasurementReport: Sendable {
    /// One line for people and scripts, of the form that those of the peers' benchmarks have.
    var line: String { get }
    /// For programs.
    var json: JSONValue { get }
}

/// The times of what was done many times, in microseconds; 0 of what was done not once.
package struct MeasuredTimes: Sendable {
    /// Half of them took less.
    package private(set) var median = 0.0
    /// All but one of a hundred took less.
    package private(set) var p99 = 0.0
    /// The longest of all.
    package private(set) var largest = 0.0

    /// Of nothing.
    init() {}

    /// Of nanoseconds in any order.
    init(nanoseconds times: [Int64]) {
        guard !times.isEmpty else { return }
        let sorted = times.sorted()
        func percentile(_ share: Double) -> Double {
            Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]) / 1_000
        }
        (median, p99, largest) = (percentile(0.5), percentile(0.99), percentile(1))
    }

    /// Median and 99th percentile, for programs.
    var json: JSONValue { .object(("median", .number(median)), ("p99", .number(p99))) }
}

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
