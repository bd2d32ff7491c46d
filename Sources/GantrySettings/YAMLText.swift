//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Yams

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
