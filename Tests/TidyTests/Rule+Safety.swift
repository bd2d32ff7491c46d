//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension Rule {
    static let safetyRules = [
        Rule("Sources never give up: no forced try, cast or unwrap, no fatalError", in: \.isSource) { file in
            crashes(in: file.tokens).map { file.violation($0.line, "\($0.text): handle it or prove it with a type") }
        },
        Rule("Sources have no empty catch", in: \.isSource) { file in
            file.tokens.indices.filter { isEmptyCatch(at: $0, in: file.tokens) }.map {
                file.violation(file.tokens[$0].line, "an empty catch hides a failure")
            }
        },
        Rule("a promise to the compiler stands below its proof", in: { $0.isSource || $0.isTest }) { file in
            file.code.indices.filter { promises(file.code[$0]) && !hasProof(above: $0, in: file) }.map {
                file.violation($0 + 1, "say why it holds in a comment above that begins with // Proof:")
            }
        },
        Rule("Sources wait by the monotonic clock", in: { $0.isSource && $0.target != "TestSupport" }) { file in
            file.tokens.filter { $0.text == "DispatchSemaphore" }.map {
                file.violation($0.line, "its waits go by the wall clock, which people set: use MonotonicSemaphore")
            }
        },
        Rule("what the package inlines belongs to a type that is usable from inline", in: \.isSource) { file in
            inlinablesOfHiddenTypes(in: file.tokens).map {
                file.violation($0.line, "Swift specializes nothing of \($0.type) in another module: make it @usableFromInline")
            }
        },
        Rule("JSON is written by JSONWriter", in: { $0.isSource && !mayEncode($0) }) { file in
            writers(in: file.tokens).map { file.violation($0.line, "\($0.text): make a JSONValue, which JSONWriter writes") }
        },
        Rule("only ZMQ and Platform say unsafe", in: { !mayBeUnsafe($0) && ($0.isSource || $0.isTest) }) { file in
            file.tokens.indices.filter { index in
                guard file.tokens[index].text == "unsafe" else { return false }
                // `nonisolated(unsafe)` is looked at by the rule of proofs.
                return index < 2 || file.tokens[index - 2].text != "nonisolated"
            }.map { file.violation(file.tokens[$0].line, "unsafe belongs into ZMQ or Platform") }
        },
    ]

    /// Where a loader's settings have canonical bytes; what is no part of a running front; values of types that only users know; and a cell of a table,
    /// which is for people.
    private static func mayEncode(_ file: SourceFile) -> Bool {
        ["GantryFeedSettings", "SampleOrigin", "Simulate", "TestSupport"].contains(file.target)
            || ["TextTable.swift", "TypedJobCoding.swift"].contains(file.name)
    }

    private static func writers(in tokens: [Token]) -> [Token] {
        tokens.indices.compactMap { index in
            if tokens[index].text == "JSONEncoder" { return tokens[index] }
            guard tokens[index].text == "JSONSerialization", index + 2 < tokens.count else { return nil }
            return ["data", "writeJSONObject"].contains(tokens[index + 2].text) ? tokens[index] : nil
        }
    }

    /// Where `package` stands after `@inlinable` in a type, or in an extension of one of this file, that other modules see only as `package`: they
    /// look up its conformances at run time.
    private static func inlinablesOfHiddenTypes(in tokens: [Token]) -> [(line: Int, type: String)] {
        var hidden: Set<String> = []
        var found: [(line: Int, type: String)] = []
        var type = ""
        for index in tokens.indices.dropLast() {
            switch tokens[index].text {
            case "struct", "enum", "class":
                type = tokens[index + 1].text
                let attributes = tokens[..<index].suffix(6).reversed().prefix { !["{", "}"].contains($0.text) }.map(\.text)
                if attributes.contains("package"), !attributes.contains("usableFromInline") { hidden.insert(type) }
            case "extension": type = tokens[index + 1].text
            case "inlinable":
                let kinds = ["package", "public", "func", "init", "var", "subscript"]
                let next = tokens[(index + 1)...].prefix(6).first { kinds.contains($0.text) }
                if let next, next.text == "package", hidden.contains(type) { found.append((next.line, type)) }
            default: break
            }
        }
        return found
    }

    private static func mayBeUnsafe(_ file: SourceFile) -> Bool {
        ["GantryZMQ", "GantryPlatform", "GantryZMQTests", "GantryPlatformTests", "PlatformProbe"].contains(file.target)
    }

    private static func crashes(in tokens: [Token]) -> [Token] {
        tokens.indices.compactMap { index in
            let token = tokens[index]
            if token.text == "fatalError" { return token }
            guard token.text == "!", token.isGlued, index > 0 else { return nil }
            let previous = tokens[index - 1]
            if index + 1 < tokens.count, tokens[index + 1].text == "=", tokens[index + 1].isGlued { return nil }
            guard previous.isWord || [")", "]", "\"", "?", "}"].contains(previous.text) else { return nil }
            return Token(text: previous.text + "!", line: token.line, isGlued: true, isWord: false)
        }
    }

    private static func isEmptyCatch(at index: Int, in tokens: [Token]) -> Bool {
        guard tokens[index].text == "catch" else { return false }
        guard let open = tokens[index...].firstIndex(where: { $0.text == "{" }), open + 1 < tokens.count else { return false }
        return tokens[open + 1].text == "}"
    }

    private static func promises(_ code: String) -> Bool {
        code.contains("@unchecked") || code.contains("nonisolated(unsafe)") || code.contains("@preconcurrency")
    }

    /// Looks upwards through the comment and the attributes that belong to the declaration in line `index`.
    private static func hasProof(above index: Int, in file: SourceFile) -> Bool {
        var line = index - 1
        while line >= 0 {
            let code = file.code[line].drop(while: \.isWhitespace)
            if file.comments[line].hasPrefix("// Proof:") { return true }
            if file.comments[line].isEmpty, !code.hasPrefix("@") { return false }
            if !file.comments[line].isEmpty, !code.isEmpty { return false }
            line -= 1
        }
        return false
    }
}
