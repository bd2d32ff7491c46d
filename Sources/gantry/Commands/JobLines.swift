//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Foundation
import GantryClient
import GantryModel
import StateFormatting

/// A job as one line of JSON says it: its argument, and its options by the names that they have on the command line.
struct JobLine {
    let argument: [UInt8]
    let options: JobOptions
}

/// Reads lines of JSON as jobs.
struct JobLineReader {
    /// What lines without an option have.
    private let usual: JobOptions
    /// Options of earlier lines, by their words: mostly all lines have one of a few.
    private var known: [[String]: JobOptions] = [:]
    /// How many sets of options were parsed, which takes longer than all else about a line.
    private(set) var parsedCount = 0

    /// Options that are kept; beyond that they are read again.
    private static let knownLimit = 1_000

    init(usual: JobOptions) { self.usual = usual }

    /// The job of a line.
    /// - Throws: `Fault` for what is none.
    mutating func job(_ line: Data) throws -> JobLine {
        guard let members = try? JSONDecoder().decode([String: JSONPart].self, from: line) else { throw Fault(ofNoObject: line) }
        var (argument, words): ([UInt8], [String]) = ([], [])
        guard members["argument"] == nil || members[Self.bytesName] == nil else {
            throw Fault("it has \"argument\" and \"\(Self.bytesName)\": a job has one of them")
        }
        // In a fixed order, so that a line has one mistake whoever reads it.
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            if name == "argument" {
                argument = Self.argument(value)
            } else if name == Self.bytesName {
                argument = try Self.bytes(value)
            } else {
                words += try Self.words(name, value)
            }
        }
        guard argument.count <= JobBatch.argumentByteLimit else {
            throw Fault("its argument has \(argument.count) bytes, and 65,536 are the most")
        }
        guard !words.isEmpty else { return JobLine(argument: argument, options: usual) }
        return JobLine(argument: argument, options: try options(words))
    }

    private mutating func options(_ words: [String]) throws -> JobOptions {
        if let options = known[words] { return options }
        parsedCount += 1
        let own: JobOptions
        do {
            own = try JobShapeOptions.parse(words).value()
        } catch {
            throw Fault(ParserSentence.of(error, in: JobShapeOptions.self))
        }
        let options = Self.merged(own, over: usual, naming: Set(words.map { $0.prefix { $0 != "=" }.dropFirst(2) }.map(String.init)))
        if let fault = options.fault { throw Fault(fault) }
        // "In a minute" is another time for each line.
        if known.count < Self.knownLimit, own.expiresAt == nil { known[words] = options }
        return options
    }

    /// A text as it is; any other value as JSON, its members in order.
    private static func argument(_ value: JSONPart) -> [UInt8] {
        if case .text(let text) = value { return Array(text.utf8) }
        return Array(value.json.text.utf8)
    }

    /// The name of an argument that is no text.
    private static let bytesName = "argumentBase64"

    /// The bytes that a text in Base64 stands for.
    private static func bytes(_ value: JSONPart) throws -> [UInt8] {
        guard case .text(let text) = value, let bytes = Data(base64Encoded: text) else {
            throw Fault("its \"\(bytesName)\" is no text in Base64 (RFC 4648, with its = at the end)")
        }
        return Array(bytes)
    }

    /// The words of the command line that say the same: `"tags": ["a", "b"]` is `--tag=a --tag=b`.
    private static func words(_ name: String, _ value: JSONPart) throws -> [String] {
        let option = Self.option(name)
        guard names.contains(option) else {
            throw Fault("unknown key \"\(name.cut(to: 64))\"; keys are argument, \(bytesName), \(shownNames)")
        }
        switch value {
        case .bool(false) where option == "jitter": return ["--no-jitter"]
        case .null, .bool(false): return []
        case .bool(true): return ["--\(option)"]
        case .text(let text): return ["--\(option)=\(text)"]
        case .whole(let number): return ["--\(option)=\(number)"]
        case .number(let number): return ["--\(option)=\(number)"]
        case .list(let values): return try values.flatMap { try words(name, $0) }
        // {"unreachable": 10, "invalidData": "never"}
        case .object(let codes) where option == "retry-code":
            return try codes.sorted { $0.key < $1.key }.flatMap { code, value in
                if case .null = value { throw Fault("its retry code \(code) lacks the attempts: write for example 10, or \"never\"") }
                return try words(option, value).map { word in "--\(option)=\(code)=" + word.dropFirst(option.utf8.count + 3) }
            }
        case .object: throw Fault("\"\(name.cut(to: 64))\" is a text or a number, or some of them, not an object")
        }
    }

    /// The option that a name means: `runAt` and `run-at` are one, and lists may have the plural.
    private static func option(_ name: String) -> String {
        switch name {
        case "tags": "tag"
        case "limits": "limit"
        case "retryCodes", "retry-codes": "retry-code"
        default: name.reduce(into: "") { $0 += $1.isUppercase ? "-\($1.lowercased())" : String($1) }
        }
    }

    /// The names as the help has them: of what may be several, the plural.
    private static var shownNames: String {
        names.map { ["tag": "tags", "limit": "limits", "retry-code": "retry-codes"][$0] ?? $0 }.sorted().joined(separator: ", ")
    }

    /// The names of options.
    private static let names: Set<String> = [
        "priority", "tag", "delay", "run-at", "attempts", "back-off", "longest-back-off", "jitter", "no-jitter", "retry-code",
        "attempt-timeout", "total-timeout", "expires", "limit", "secret-argument", "unique", "unique-until", "unique-for", "debounce",
        "debounce-longest",
    ]

    /// What a line says, and for what it leaves out what the command says.
    private static func merged(_ own: JobOptions, over usual: JobOptions, naming names: Set<String>) -> JobOptions {
        var options = usual
        func has(_ any: String...) -> Bool { !names.isDisjoint(with: any) }
        if has("priority") { options.priority = own.priority }
        if has("tag") { options.tags = own.tags }
        if has("delay", "run-at") { options.start = own.start }
        if has("attempts", "back-off", "longest-back-off", "jitter", "no-jitter", "retry-code") {
            options.retry = own.retry.filled(by: usual.retry)
        }
        if has("attempt-timeout") { options.attemptTimeout = own.attemptTimeout }
        if has("total-timeout") { options.totalTimeout = own.totalTimeout }
        if has("expires") { options.expiresAt = own.expiresAt }
        if has("limit") { options.limitKeys = own.limitKeys }
        if has("secret-argument") { options.hasSecretArgument = own.hasSecretArgument }
        if has("unique") { options.uniqueKey = own.uniqueKey }
        return options
    }

    /// What is wrong with a line.
    struct Fault: CodedError {
        let context: String

        init(_ context: String) { self.context = context }

        /// A line that is no object of JSON.
        init(ofNoObject line: Data) {
            let isText = String(validating: line, as: UTF8.self) != nil
            let advice = "give an argument of other bytes as \"\(JobLineReader.bytesName)\""
            self.init(isText ? "it is no JSON object" : "it is not UTF-8 text: \(advice)")
        }

        /// The line is not what the page of the command describes.
        var code: FailureCode { .invalidData }
        let nextStep = "correct that line"
        /// Nothing lies beneath: the line is what was looked at.
        var cause: ErrorCause? { nil }
    }
}

/// A value of a line.
private enum JSONPart: Decodable {
    case null
    case bool(Bool)
    case whole(Int64)
    case number(Double)
    case text(String)
    case list([JSONPart])
    case object([String: JSONPart])

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let whole = try? value.decode(Int64.self) {
            self = .whole(whole)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let list = try? value.decode([JSONPart].self) {
            self = .list(list)
        } else {
            self = .object(try value.decode([String: JSONPart].self))
        }
    }

    /// The same, the members of objects in order.
    var json: JSONValue {
        switch self {
        case .null: .written("null")
        case .bool(let bool): .bool(bool)
        case .whole(let number): .written(String(number))
        case .number(let number): .number(number)
        case .text(let text): .string(text)
        case .list(let list): .array(list.map(\.json))
        case .object(let members): .object(members.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, $0.value.json) })
        }
    }
}
