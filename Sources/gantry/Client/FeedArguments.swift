//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Foundation
import GantryModel

/// The address of a feed on the command line.
struct FeedArguments: ParsableArguments {
    @Argument(help: "The feed's name, or its whole key such as 'products?category=electronics'.")
    var name: String

    @Option(name: .customLong("param"), help: ArgumentHelp("A parameter; may be given more than once.", valueName: "name=value"))
    var parameters: [String] = []

    /// The address in Unicode NFC, defaults not filled in.
    func key() throws -> FeedKey {
        let text = name.precomposedStringWithCanonicalMapping
        guard let base = FeedKey(text: text) else { throw ValidationError(FeedKeyFault.text(of: text)) }
        var all = base.parameters
        for parameter in parameters {
            guard let sign = parameter.firstIndex(of: "=") else { throw ValidationError("write --param name=value, not \"\(parameter)\"") }
            let value = String(parameter[parameter.index(after: sign)...]).precomposedStringWithCanonicalMapping
            all.append(FeedKey.Parameter(name: String(parameter[..<sign]), value: value))
        }
        guard let key = FeedKey(name: base.name, parameters: all, namespace: base.namespace) else {
            throw ValidationError(FeedKeyFault.text(of: all, of: base.name))
        }
        return key
    }
}

/// Which view of a feed.
struct ViewArguments: ParsableArguments {
    @Option(name: .customLong("view"), help: "The view's name; shared is the one that everybody uses.")
    var text = ViewName.shared

    /// The view's name.
    func name() throws -> String {
        guard PlainName.isName(text) else { throw ValidationError("\"\(text)\" is not a view's name: \(PlainName.rule)") }
        return text
    }
}

/// Why what somebody typed is no feed's key, for the one who typed it.
enum FeedKeyFault {
    private static let names = PlainName.rule

    /// What is wrong with a key's text.
    static func text(of key: String) -> String {
        let parts = key.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let path = parts[0].split(separator: "/", omittingEmptySubsequences: false)
        guard path.count <= 2, path.allSatisfy({ PlainName.isName(String($0)) }), let name = path.last else {
            return "\"\(parts[0])\" is not a valid feed name: \(names)"
        }
        var parameters: [FeedKey.Parameter] = []
        for pair in parts.dropFirst().joined(separator: "").split(separator: "&", omittingEmptySubsequences: false) {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard halves.count == 2 else { return "the key's parameter \"\(pair)\" has no value: write name=value" }
            guard let value = halves[1].removingPercentEncoding else {
                return "the key's value \"\(halves[1])\" has \(escapeFault(in: halves[1]))"
            }
            parameters.append(FeedKey.Parameter(name: halves[0], value: value))
        }
        return text(of: parameters, of: String(name))
    }

    /// What is wrong with the parameters of a feed.
    static func text(of parameters: [FeedKey.Parameter], of feed: String) -> String {
        if let wrong = parameters.first(where: { !PlainName.isName($0.name) }) {
            return "\"\(wrong.name)\" is not a valid parameter name: \(names)"
        }
        var seen: Set<String> = []
        if let twice = parameters.first(where: { !seen.insert($0.name).inserted }) {
            return "the parameter \(twice.name) of \(feed) is given twice: give it once"
        }
        return "the key of \(feed) is over \(FeedKey.byteCountLimit) bytes with its parameters: shorten their values"
    }

    private static func escapeFault(in value: String) -> String {
        value.contains(/%([^0-9A-Fa-f]|.[^0-9A-Fa-f]|.?$)/) ? "an incomplete % escape" : "% escapes that are not UTF-8"
    }
}

/// An item as it is given on the command line.
enum ItemText {
    /// Largest item in bytes.
    static let byteLimit = MessageBounds.payloadByteCount
    /// Most arrays and objects in each other: as deep as the reader of JSON goes, and loaders of lists.
    static let depthLimit = 512

    /// The bytes of JSON text, or of standard input for `-`.
    /// - Throws: `CommandFailure` with 10 for text that is not a JSON object or over the limit.
    static func bytes(_ text: String) throws -> [UInt8] {
        let data = text == "-" ? try FileHandle.standardInput.read(upToCount: byteLimit + 1) ?? Data() : Data(text.utf8)
        guard data.count <= byteLimit else {
            throw CommandFailure(
                .invalidData, code: .tooLarge, message: "the item is over \(byteLimit) bytes (limit)", nextStep: "make it smaller")
        }
        guard depth(of: data) <= depthLimit else {
            throw CommandFailure(
                .invalidData, code: .tooLarge, message: "the item is nested deeper than \(depthLimit) arrays and objects (limit)",
                nextStep: "make it flatter, or put what is deep into it as a text")
        }
        let value: Any
        do {
            value = try JSONSerialization.jsonObject(with: data)
        } catch {
            throw refusal("the item is no JSON, or has a number that is out of range")
        }
        guard value is [String: Any] else { throw refusal("the item is not a JSON object") }
        return Array(data)
    }

    /// How deep arrays and objects stand in each other; in what is no JSON, at most as deep as its brackets open.
    private static func depth(of data: Data) -> Int {
        var (depth, deepest, isText, isEscaped) = (0, 0, false, false)
        for byte in data {
            if isText {
                if !isEscaped, byte == UInt8(ascii: "\"") { isText = false }
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isText = true
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                deepest = max(deepest, depth)
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
        }
        return deepest
    }

    private static func refusal(_ message: String) -> CommandFailure {
        CommandFailure(
            .invalidData, code: .invalidData, message: message, nextStep: "write for example --item '{\"title\":\"milk\"}'")
    }
}
