//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// How far a job is, as its loader reports it.
public struct Progress: Hashable, Sendable {
    /// 0 to 100; nil when the total is unknown.
    public var percent: UInt8?
    /// What is done so far, in `unit`.
    public var completed: UInt64
    /// What there is to do, in `unit`; nil when unknown.
    public var total: UInt64?
    /// The unit of the two counts: `bytes` or `items`, at most 64 bytes; empty when there are none.
    public var unit: String
    /// One short sentence for people; at most 256 bytes.
    public var message: String

    /// A report; percent over 100 becomes 100.
    public init(percent: UInt8? = nil, completed: UInt64 = 0, total: UInt64? = nil, unit: String = "", message: String = "") {
        self.percent = percent.map { min($0, 100) }
        self.completed = completed
        self.total = total
        self.unit = unit
        self.message = message
    }
}
