//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

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

    func list(_ what: String) throws(ConfigurationError) -> [ConfigurationNode] {
        switch value {
        case .empty: return []
        case .list(let nodes): return nodes
        case .scalar, .map: throw ConfigurationError("\(what) must be a list", line: line)
        }
    }

    /// The entries in the order of the file, whatever their keys; nothing counts as none.
    func entries(_ what: String) throws(ConfigurationError) -> [Entry] {
        switch value {
        case .empty: return []
        case .map(let entries): return entries
        case .scalar, .list: throw ConfigurationError("\(what) must be a mapping of keys to values", line: line)
        }
    }

    /// The values by key, where only these keys may occur.
    func fields(_ what: String, _ known: [String]) throws(ConfigurationError) -> [String: ConfigurationNode] {
        var fields: [String: ConfigurationNode] = [:]
        for entry in try entries(what) {
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
