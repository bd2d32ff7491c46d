//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

/// A parsed configuration text before anybody knows what it means.
struct ConfigurationNode: Hashable, Sendable {
    enum Value: Hashable, Sendable {
        case empty
        case scalar(String)
        case list([ConfigurationNode])
        case map([Entry])
    }

    struct Entry: Hashable, Sendable {
        var key: String
        /// Line of the key, from 1.
        var line: Int
        var node: ConfigurationNode
    }

    var value: Value
    /// From 1.
    var line: Int
    /// Whether a scalar stands without quotes, so that it may be a number or a truth value.
    var isPlain = false

    func text(_ what: String) throws(ConfigurationError) -> String {
        guard case .scalar(let text) = value else { throw ConfigurationError("\(what) must be one value", line: line) }
        return text
    }

    func truth(_ what: String) throws(ConfigurationError) -> Bool {
        switch try text(what) {
        case "true": return true
        case "false": return false
        case let other: throw ConfigurationError("\(what) is \"\(other)\": write true or false", line: line)
        }
    }

    func integer(_ what: String, in range: ClosedRange<Int>) throws(ConfigurationError) -> Int {
        let text = try text(what)
        guard let number = Int(text), range.contains(number) else {
            throw ConfigurationError(
                "\(what) is \"\(text)\": write a number from \(range.lowerBound) to \(range.upperBound)", line: line)
        }
        return number
    }

    /// - Parameter example: the key with a value that fits, for the sentence that refuses another one.
    func list(_ what: String, like example: String) throws(ConfigurationError) -> [ConfigurationNode] {
        switch value {
        case .empty: return []
        case .list(let nodes): return nodes
        case .scalar, .map: throw ConfigurationError("\(what) must be a list: write for example \(example)", line: line)
        }
    }

    /// The entries in the order of the file, whatever their keys; nothing counts as none.
    /// - Parameter example: the key with a value that fits, for the sentence that refuses another one.
    func entries(_ what: String, like example: String) throws(ConfigurationError) -> [Entry] {
        switch value {
        case .empty: return []
        case .map(let entries): return entries
        case .scalar, .list:
            throw ConfigurationError("\(what) must be a mapping of keys to values: write for example \(example)", line: line)
        }
    }

    /// The values by key, where only these keys may occur.
    func fields(_ what: String, _ known: [String], like example: String) throws(ConfigurationError) -> [String: ConfigurationNode] {
        var fields: [String: ConfigurationNode] = [:]
        for entry in try entries(what, like: example) {
            guard known.contains(entry.key) else {
                let nearest = SpellingDistance.nearest(to: entry.key, in: known)
                let hint = nearest.map { "did you mean \"\($0)\"?" } ?? "known are \(known.joined(separator: ", "))"
                throw ConfigurationError("unknown key \"\(entry.key)\" in \(what); \(hint)", line: entry.line)
            }
            guard fields.updateValue(entry.node, forKey: entry.key) == nil else {
                throw ConfigurationError("the key \"\(entry.key)\" is given twice in \(what); remove one", line: entry.line)
            }
        }
        return fields
    }
}

/// Durations such as `250ms`, `5s`, `7d` and sizes such as `64KiB`; a bare number means nothing and is refused.
package struct Quantity: Sendable {
    /// How many of the smallest unit each unit has, smallest first.
    private let units: KeyValuePairs<String, Int>
    /// The smallest and the largest quantity in the smallest unit, and the largest as it is written. More is a slip of the hand, and clocks and
    /// counters would overflow.
    private let range: ClosedRange<Int>
    private let most: String
    private let example: String

    /// Why a text is no such quantity.
    package struct Problem: CodedError {
        /// What is wrong with it, as the rest of a sentence that names it: `has no unit`.
        package let context: String
        /// What to write instead.
        package let nextStep: String

        /// What was written is no quantity.
        package var code: FailureCode { .invalidData }
        /// Nothing lies beneath: the text is what was looked at.
        package var cause: ErrorCause? { nil }
    }

    /// Times in milliseconds, up to a year.
    package static let time = Self(
        units: ["ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000], range: 1...365 * 86_400_000, most: "365d",
        example: "250ms or 5s")
    /// Sizes in bytes.
    package static let size = Self(
        units: ["B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30], range: 1...1 << 40, most: "1024GiB", example: "64KiB or 1MiB")

    /// Reads a number and its unit.
    /// - Returns: how many of the smallest unit it is, milliseconds or bytes.
    package func count(of text: String) throws(Problem) -> Int {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = text.dropFirst(digits.count)
        let problem: String
        switch (units.first { $0.key == unit }?.value, digits.isEmpty, unit.isEmpty) {
        case (let factor?, false, _):
            // Digits beyond those of an integer are too many, too.
            let (count, overflows) = (Int(digits) ?? .max).multipliedReportingOverflow(by: factor)
            if !overflows, range.contains(count) { return count }
            problem = "is not between 1\(units.first?.key ?? "") and \(most)"
        case (nil, false, true): problem = "has no unit"
        case (_, _, _): problem = "is not a whole number and a unit"
        }
        let names = units.map(\.key).joined(separator: ", ")
        throw Problem(context: problem, nextStep: "write for example \(example); units are \(names)")
    }

    /// Reads what a key of the configuration has.
    func count(of node: ConfigurationNode, _ what: String) throws(ConfigurationError) -> Int {
        let text = try node.text(what)
        do throws(Problem) {
            return try count(of: text)
        } catch {
            throw ConfigurationError("\(what) \"\(text)\" \(error.context): \(error.nextStep)", line: node.line)
        }
    }
}
