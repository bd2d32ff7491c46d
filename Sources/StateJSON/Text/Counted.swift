//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// A number with its noun, for example `1 item` and `2 items`.
public func counted(_ count: some BinaryInteger, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

extension TopicChecksum {
    /// The first 12 of its digits: enough for people to compare.
    public var short: String { String(description.prefix(12)) }
}
