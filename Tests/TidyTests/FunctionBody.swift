//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Where a function, initializer, subscript or computed property stands.
struct FunctionBody: Equatable {
    let name: String
    let firstLine: Int
    let lastLine: Int

    var lineCount: Int { lastLine - firstLine + 1 }

    /// Every body in order of its first line, nested ones included.
    static func bodies(in tokens: [Token]) -> [FunctionBody] {
        tokens.indices.compactMap { body(at: $0, in: tokens) }
    }

    private static let declarations: Set<String> = [
        "func", "init", "deinit", "subscript", "var", "let", "case", "struct", "class", "enum", "actor", "protocol", "extension",
        "typealias", "associatedtype", "import",
    ]

    private static func body(at start: Int, in tokens: [Token]) -> FunctionBody? {
        let keyword = tokens[start]
        guard ["func", "init", "deinit", "subscript", "var"].contains(keyword.text) else { return nil }
        if start > 0, tokens[start - 1].text == "." || tokens[start - 1].text == "`" { return nil }
        guard let open = openingBrace(after: start, in: tokens) else { return nil }
        var depth = 0
        for token in tokens[open...] {
            if token.text == "{" { depth += 1 }
            if token.text == "}" { depth -= 1 }
            if depth == 0 {
                let name = keyword.text == "func" || keyword.text == "var" ? tokens[start + 1].text : keyword.text
                return FunctionBody(name: name, firstLine: keyword.line, lastLine: token.line)
            }
        }
        return nil
    }

    /// The brace that opens the body; nil for a requirement of a protocol and for a stored property.
    private static func openingBrace(after start: Int, in tokens: [Token]) -> Int? {
        var depth = 0
        for index in (start + 1)..<max(start + 1, tokens.count) {
            let token = tokens[index]
            switch token.text {
            case "(", "[": depth += 1
            case ")", "]": depth -= 1
            case "{" where depth == 0: return index
            case "}" where depth == 0: return nil
            case _ where depth < 0: return nil
            case _ where depth == 0 && tokens[start].text == "var" && token.line > tokens[start].line: return nil
            case _ where depth == 0 && declarations.contains(token.text) && token.line > tokens[start].line: return nil
            default: continue
            }
        }
        return nil
    }
}
