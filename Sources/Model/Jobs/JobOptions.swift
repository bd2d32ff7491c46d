//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// How a job is to be run, as whoever submits it chooses. It is carried whole, from the command line to the journal and to whoever looks at the
/// job, and compared, counted and written as one value.
///
/// A new option is a field here, with its rule in `fault`, its share of `byteCount`, of `line` and of the fingerprint, and its field of
/// `JobOptions` in `gantry.proto`.
public struct JobOptions: Hashable, Sendable {
    /// 0 to 9, 9 most urgent: a level is worth a minute of waiting.
    public var priority: UInt8

    /// Options; those that are not named are the usual ones.
    public init(priority: UInt8 = JobPriority.usual) {
        self.priority = priority
    }

    /// What is wrong with them, as a sentence; nil: nothing. Everybody who takes options from elsewhere asks this.
    public var fault: String? {
        guard priority <= JobPriority.highest else { return "a priority is 0 to \(JobPriority.highest), not \(priority)" }
        guard byteCount <= MessageBounds.optionsByteCount else {
            return "the options of a job have at most \(MessageBounds.optionsByteCount.grouped) bytes, not \(byteCount)"
        }
        return nil
    }

    /// Bytes of the texts in them.
    public var byteCount: Int { 0 }

    /// What people are told of them.
    public var line: String { "priority \(priority)" }

    /// Their share of a request's fingerprint.
    func add(to print: inout Fingerprint) {
        print.add(UInt64(priority))
    }
}
