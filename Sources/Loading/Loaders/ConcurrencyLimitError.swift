//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A permit could not be had, for a reason other than our own cancellation. A ``ConcurrencyLimitingLoadable`` shows it as its failure.
public struct ConcurrencyLimitError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Why there was no permit. The set of codes may grow.
    public struct Code: Hashable, Sendable {
        private let name: String

        /// As many calls wait for a permit as may.
        public static let tooManyWaiting = Code(name: "tooManyWaiting")
    }

    /// Why there was no permit.
    public let code: Code
    /// How many loads may run at once.
    public let concurrencyLimit: Int
    /// How many calls may wait.
    public let waiterLimit: Int

    init(_ code: Code, concurrencyLimit: Int, waiterLimit: Int) {
        self.code = code
        self.concurrencyLimit = concurrencyLimit
        self.waiterLimit = waiterLimit
    }

    /// Names both limits and the next step.
    public var description: String {
        "\(concurrencyLimit) loads run and \(waiterLimit) wait, which is the limit: load again when some have ended"
    }
}
