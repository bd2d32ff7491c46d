//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension Rule {
    static let documentationRules = [
        Rule("every public declaration is documented", in: \.isSource) { file in
            publicDeclarations(in: file).filter { !isDocumented($0, in: file) }.map {
                file.violation($0, "say what it is in a documentation comment")
            }
        }
    ]

    /// Line numbers of public declarations that need words: not of extensions and imports, nor of what every reader knows.
    private static func publicDeclarations(in file: SourceFile) -> [Int] {
        let tokens = file.tokens
        return tokens.indices.compactMap { index in
            guard ["public", "open"].contains(tokens[index].text) else { return nil }
            if index > 0, tokens[index - 1].text == "." { return nil }
            let rest = tokens[(index + 1)...].prefix(8).map(\.text)
            guard let first = rest.first, first != "import", first != "extension", first != "(" else { return nil }
            if tokens[index].text == "open", !modifiers.contains(first) { return nil }
            return isWellKnown(rest) || isMemberwise(index + 1, in: tokens) ? nil : tokens[index].line
        }
    }

    /// An initializer that does nothing but assign: its parameters are the properties, which say what they are.
    private static func isMemberwise(_ start: Int, in tokens: [Token]) -> Bool {
        guard start + 1 < tokens.count, tokens[start].text == "init", tokens[start + 1].text == "(" else { return false }
        var depth = 0
        guard
            let end = tokens[(start + 1)...].firstIndex(where: { token in
                if token.text == "(" { depth += 1 }
                if token.text == ")" { depth -= 1 }
                return depth == 0
            }), end + 1 < tokens.count, tokens[end + 1].text == "{"
        else { return false }
        let body = tokens[(end + 2)...].prefix { $0.text != "}" }
        let hasCall = body.indices.dropFirst().contains { body[$0].text == "(" && body[$0].isGlued && body[$0 - 1].isWord }
        return !hasCall && body.allSatisfy { $0.isWord || ["=", ".", ",", "(", ")"].contains($0.text) }
    }

    private static let modifiers: Set<String> = [
        "actor", "class", "func", "init", "let", "override", "static", "subscript", "var", "private", "internal", "final", "weak",
        "lazy", "nonisolated", "mutating", "isolated", "required", "convenience",
    ]

    /// Requirements of protocols of the standard library whose meaning is theirs.
    private static func isWellKnown(_ rest: [String]) -> Bool {
        let text = rest.joined(separator: " ")
        return text.hasPrefix("static func = =") || text.hasPrefix("static func <")
            || text.hasPrefix("func hash ( into") || text.hasPrefix("var description : String")
            || text.hasPrefix("var debugDescription : String") || text.hasPrefix("var errorDescription : String")
            || text.hasPrefix("var id :") || text.hasPrefix("typealias ")
    }

    /// Looks upwards over attributes; a comment says nothing when it has fewer than four letters.
    private static func isDocumented(_ line: Int, in file: SourceFile) -> Bool {
        var index = line - 2
        while index >= 0 {
            let comment = file.comments[index]
            let code = file.code[index].drop(while: \.isWhitespace)
            if comment.hasPrefix("///"), code.isEmpty {
                return documentation(endingAt: index, in: file).filter(\.isLetter).count >= 4
            }
            let isAttribute = code.hasPrefix("@") || code.hasPrefix("#if")
            let isPlainComment = code.isEmpty && !comment.isEmpty
            guard isAttribute || isPlainComment else { return false }
            index -= 1
        }
        return false
    }

    private static func documentation(endingAt last: Int, in file: SourceFile) -> String {
        var index = last
        var text = ""
        while index >= 0, file.comments[index].hasPrefix("///") {
            text = file.comments[index].dropFirst(3) + " " + text
            index -= 1
        }
        return text
    }
}
