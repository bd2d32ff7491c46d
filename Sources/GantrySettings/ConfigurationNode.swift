//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel
import Yams

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

/// Reads YAML into nodes with lines, without anchors, aliases and tags: nothing in a configuration needs them.
enum YAMLText {
    private static let byteCountLimit = 1 << 20
    private static let depthLimit = 32

    static func parse(_ text: String) throws(ConfigurationError) -> ConfigurationNode {
        guard text.utf8.count <= byteCountLimit else {
            throw ConfigurationError("the configuration is over 1 MiB; this cannot be meant")
        }
        // The parser is written in C and takes a zero byte for the end of the text.
        if let zero = text.utf8.firstIndex(of: 0) { throw zeroByte(text.utf8[..<zero].count { $0 == UInt8(ascii: "\n") } + 1) }
        guard aliasCount(in: text) <= aliasLimit else {
            throw ConfigurationError("anchors (&) and aliases (*) are not allowed; write the values out")
        }
        do {
            // All that is read of a scalar is its text, so nothing has to tell numbers from words: a dozen regular expressions would be made for
            // that, and a front that starts again has no time for them.
            let parser = try Parser(yaml: text, resolver: .basic)
            // Nodes hold their anchors weakly, the parser holds them strongly.
            return try withExtendedLifetime(parser) {
                guard let root = try parser.singleRoot() else { return ConfigurationNode(value: .empty, line: 1) }
                return try convert(root, line: 1, depth: 0)
            }
        } catch let error as ConfigurationError {
            throw error
        } catch let error as YamlError {
            throw describe(error)
        } catch {
            throw ConfigurationError("the configuration cannot be read", code: .syntax, cause: ErrorCause(error))
        }
    }

    /// Aliases that may reach the parser. It compares the keys of a mapping while it composes them, and does so for every value that an alias
    /// stands for: a few dozen aliases of aliases as a key would keep it busy for ever. Few cost nothing, and are refused by their line.
    private static let aliasLimit = 8

    /// What looks like an alias outside comments: `*name` where a value or key may begin.
    private static func aliasCount(in text: String) -> Int {
        var count = 0
        var (isComment, isBlank) = (false, true)
        // The two before this one.
        var (first, second): (Unicode.Scalar, Unicode.Scalar) = ("\n", "\n")
        for scalar in text.unicodeScalars {
            if !isComment, second == "*", mayPrecedeValue(first), scalar != "*", !scalar.properties.isWhitespace { count += 1 }
            if Character(scalar).isNewline {
                (isComment, isBlank) = (false, true)
            } else if scalar != " ", scalar != "\t" {
                if isBlank, scalar == "#" { isComment = true }
                isBlank = false
            }
            (first, second) = (second, scalar)
        }
        return count
    }

    private static func mayPrecedeValue(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "[", "{", ",", ":", "?": true
        case let other: other.properties.isWhitespace
        }
    }

    private static func convert(
        _ node: Node, line: Int, depth: Int, isKey: Bool = false
    ) throws(ConfigurationError) -> ConfigurationNode {
        let line = node.mark?.line ?? line
        guard depth < depthLimit else { throw ConfigurationError("too deeply nested; the format has no such depth", line: line) }
        guard node.anchor == nil else {
            throw ConfigurationError("anchors (&) and aliases (*) are not allowed; write the values out", line: line)
        }
        guard !hasTag(node, isKey: isKey) else {
            throw ConfigurationError("tags (!) are not allowed; write quotes where a text is meant", line: line)
        }
        switch node {
        case .scalar(let scalar):
            // Written as "\0"; names and paths with one reach the system cut short.
            if scalar.string.utf8.contains(0) { throw zeroByte(line) }
            let isPlain = scalar.style == .plain
            let isEmpty = isPlain && ["", "~", "null"].contains(scalar.string)
            return ConfigurationNode(value: isEmpty ? .empty : .scalar(scalar.string), line: line, isPlain: isPlain)
        case .sequence(let sequence):
            var nodes: [ConfigurationNode] = []
            for element in sequence { nodes.append(try convert(element, line: line, depth: depth + 1, isKey: isKey)) }
            return ConfigurationNode(value: .list(nodes), line: line)
        case .mapping(let mapping):
            var entries: [ConfigurationNode.Entry] = []
            var keys: Set<String> = []
            for (key, value) in mapping {
                let keyNode = try convert(key, line: line, depth: depth + 1, isKey: true)
                if keyNode.value == .empty {
                    throw ConfigurationError(
                        "a key is nothing in YAML: write null and ~ in quotes where they are names", line: keyNode.line)
                }
                let name = try keyNode.text("a key")
                guard keys.insert(name).inserted else {
                    throw ConfigurationError("the key \"\(name)\" is given twice; remove one", line: keyNode.line)
                }
                entries.append(
                    .init(
                        key: name, line: keyNode.line,
                        node: try convert(value, line: keyNode.line, depth: depth + 1, isKey: isKey)))
            }
            return ConfigurationNode(value: .map(entries), line: line)
        case .alias:
            throw ConfigurationError("anchors (&) and aliases (*) are not allowed; write the values out", line: line)
        }
    }

    /// Whether a tag is written before a node. The parser tags what stands in quotes as text itself, and, when it compares keys, all that they are
    /// made of by its form: there a tag that says the same cannot be told from none.
    private static func hasTag(_ node: Node, isKey: Bool) -> Bool {
        switch node {
        case .scalar(let scalar): isWritten(scalar.tag, unless: isKey || scalar.style != .plain ? .str : .implicit)
        case .sequence(let sequence): isWritten(sequence.tag, unless: isKey ? .seq : .implicit)
        case .mapping(let mapping): isWritten(mapping.tag, unless: isKey ? .map : .implicit)
        case .alias: false
        }
    }

    private static func isWritten(_ tag: Tag, unless own: Tag.Name) -> Bool {
        !tag.rawValue.isEmpty && tag.rawValue != own.rawValue
    }

    private static func zeroByte(_ line: Int) -> ConfigurationError {
        ConfigurationError("there is a zero byte, which no value may have; remove it, or write the file again as plain text", line: line)
    }

    private static func hasTab(_ text: String, at mark: Mark) -> Bool {
        let line = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).dropFirst(mark.line - 1).first
        return line?.unicodeScalars.dropFirst(mark.column - 1).first == "\t"
    }

    private static func describe(_ error: YamlError) -> ConfigurationError {
        switch error {
        case .composer(_, let problem, let mark, _) where problem.contains("another document"):
            ConfigurationError("a second YAML document begins here: put everything into one, and remove the line ---", line: mark.line)
        case .scanner(let context?, let problem, _, _) where context.text.contains("quoted") && problem.contains("end of stream"):
            ConfigurationError("the quote that begins here does not end: close it", line: context.mark.line, code: .syntax)
        case .scanner(_, let problem, let mark, let yaml) where problem.contains("tab character") || hasTab(yaml, at: mark):
            ConfigurationError("a tab stands here, which YAML does not take there: write spaces", line: mark.line, code: .syntax)
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _), .composer(_, let problem, let mark, _):
            ConfigurationError("not valid YAML", line: mark.line, code: .syntax, cause: ErrorCause(code: "", text: problem))
        case .duplicatedKeysInMapping(let duplicates, let context):
            ConfigurationError(
                "the key \"\(duplicates.sorted().joined(separator: "\", \""))\" is given twice; remove one", line: context.mark.line)
        default:
            ConfigurationError("not valid YAML", code: .syntax, cause: ErrorCause(error))
        }
    }
}
