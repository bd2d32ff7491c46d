//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Durations such as `250ms`, `5s`, `7d` and sizes such as `64KiB`; a bare number means nothing and is refused.
enum Quantity {
    /// What may be counted in one kind of quantity.
    private struct Kind {
        /// How many of the smallest unit each unit has, smallest first.
        let units: KeyValuePairs<String, Int>
        /// The largest quantity, as it is written and in the smallest unit. More is a slip of the hand, and clocks and counters would overflow.
        let most: (text: String, count: Int)
        let example: String
    }

    private static let time = Kind(
        units: ["ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000], most: ("365d", 365 * 86_400_000),
        example: "250ms or 5s")
    private static let bytes = Kind(
        units: ["B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30], most: ("1024GiB", 1 << 40), example: "64KiB or 1MiB")

    /// Seconds.
    static func duration(_ node: ConfigurationNode, _ what: String) throws(ConfigurationError) -> Double {
        Double(try read(node, what, time)) / 1_000
    }

    /// Bytes.
    static func size(_ node: ConfigurationNode, _ what: String) throws(ConfigurationError) -> Int { try read(node, what, bytes) }

    private static func read(_ node: ConfigurationNode, _ what: String, _ kind: Kind) throws(ConfigurationError) -> Int {
        let text = try node.text(what)
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = text.dropFirst(digits.count)
        let problem: String
        switch (kind.units.first { $0.key == unit }?.value, digits.isEmpty, unit.isEmpty) {
        case (let factor?, false, _):
            // Digits beyond those of an integer are too many, too.
            let (count, overflows) = (Int(digits) ?? .max).multipliedReportingOverflow(by: factor)
            if count > 0, !overflows, count <= kind.most.count { return count }
            problem = count == 0 ? "is not above zero" : "is above \(kind.most.text), the most that it can be"
        case (nil, false, true): problem = "has no unit"
        case (_, _, _): problem = "is not understood"
        }
        let units = kind.units.map(\.key).joined(separator: ", ")
        throw ConfigurationError("\(what) \"\(text)\" \(problem): write for example \(kind.example); units are \(units)", line: node.line)
    }
}
