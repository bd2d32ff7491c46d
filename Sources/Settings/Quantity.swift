//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Durations such as `250ms`, `5s`, `7d` and sizes such as `64KiB`; a bare number means nothing and is refused.
enum Quantity {
    private static let milliseconds = ["ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]
    private static let bytes = ["B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30]

    /// Seconds.
    static func duration(_ node: ConfigurationNode, _ what: String) throws(ConfigurationError) -> Double {
        Double(try read(node, what, units: milliseconds, order: ["ms", "s", "m", "h", "d"], example: "250ms or 5s")) / 1_000
    }

    /// Bytes.
    static func size(_ node: ConfigurationNode, _ what: String) throws(ConfigurationError) -> Int {
        try read(node, what, units: bytes, order: ["B", "KiB", "MiB", "GiB"], example: "64KiB or 1MiB")
    }

    private static func read(
        _ node: ConfigurationNode, _ what: String, units: [String: Int], order: [String], example: String
    ) throws(ConfigurationError) -> Int {
        let text = try node.text(what)
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = String(text.dropFirst(digits.count))
        if let count = Int(digits), count > 0, let factor = units[unit] {
            let (product, overflows) = count.multipliedReportingOverflow(by: factor)
            if !overflows { return product }
        }
        let problem =
            switch (Int(digits), unit.isEmpty) {
            case (0?, false) where units[unit] != nil: "is not above zero"
            case (_?, true): "has no unit"
            case (_, _): "is not understood"
            }
        throw ConfigurationError(
            "\(what) \"\(text)\" \(problem): write for example \(example); units are \(order.joined(separator: ", "))", line: node.line)
    }
}
