//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What a turn changes about the ended jobs that the journal keeps beside its log: they are neither in the log, nor in a checkpoint, nor in
/// memory, but are written once, and read again when somebody asks for one.
public struct EndedBundles: Hashable, Sendable {
    /// Those that are new.
    public var made: [Bundle]
    /// Those that are forgotten.
    public var forgotten: [BundleNumber]

    /// Some ended jobs, written and read together.
    public struct Bundle: Hashable, Sendable {
        /// Its number; never used twice.
        public var number: BundleNumber
        /// Whole records as entries, encoded.
        public var entries: [UInt8]

        /// A bundle of that number.
        public init(_ number: BundleNumber, entries: [UInt8]) { (self.number, self.entries) = (number, entries) }
    }

    /// Nothing changes, or this.
    public init(made: [Bundle] = [], forgotten: [BundleNumber] = []) { (self.made, self.forgotten) = (made, forgotten) }

    /// Whether nothing changes.
    public var isEmpty: Bool { made.isEmpty && forgotten.isEmpty }
}
