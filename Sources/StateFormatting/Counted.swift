//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

/// A number with its noun, for example `1 item` and `2 items`.
package func counted(_ count: some BinaryInteger, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

extension TopicChecksum {
    /// The first 12 of its digits: enough for people to compare.
    package var short: String { String(description.prefix(12)) }
}

extension WallTime {
    /// Day and minute in UTC, for example `2026-11-20 19:43`.
    var minute: String { String(rfc3339.prefix(16)).replacing("T", with: " ") }

    /// The time of day in UTC, for example `19:43:50`; of another day its date, for example `2026-11-20`.
    package func clock(at now: WallTime) -> String {
        let text = rfc3339
        return text.prefix(10) == now.rfc3339.prefix(10) ? String(text.dropFirst(11).prefix(8)) : String(text.prefix(10))
    }
}
