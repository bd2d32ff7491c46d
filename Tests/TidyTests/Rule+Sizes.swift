//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension Rule {
    static let longestFile = 400
    static let longestFunction = 70
    static let longestCommand = 80
    static let longestMachine = 249

    static let sizeRules = [
        Rule("files have at most 400 lines", in: { $0.isSwift || isScript($0) }) { file in
            file.lines.count <= longestFile
                ? [] : [file.violation(file.lines.count, "\(file.lines.count) lines, at most \(longestFile)")]
        },
        Rule("functions have at most 70 lines", in: \.isSwift) { file in
            FunctionBody.bodies(in: file.tokens).filter { $0.lineCount > longestFunction }.map {
                file.violation($0.firstLine, "\($0.name) has \($0.lineCount) lines, at most \(longestFunction)")
            }
        },
        Rule("a command of the executable has at most 80 lines", in: { $0.path.hasPrefix("Sources/gantry/Commands/") }) { file in
            file.lines.count <= longestCommand
                ? [] : [file.violation(file.lines.count, "\(file.lines.count) lines, at most \(longestCommand)")]
        },
        Rule("a file of Sources declares one top-level type", in: \.isSource) { file in
            topLevelTypes(in: file.tokens).dropFirst().map {
                file.violation($0.line, "\($0.text) is a second top-level type: it gets a file of its own")
            }
        },
        Rule("FrontMachine with all its extensions has under 250 lines") { files in
            let parts = files.filter(\.isSource).flatMap { file in machineParts(in: file.tokens).map { (file, $0) } }
            let lineCount = parts.reduce(0) { $0 + $1.1.count }
            guard lineCount > longestMachine else { return [] }
            return parts.suffix(1).map { file, lines in
                file.violation(lines.lowerBound, "with this FrontMachine has \(lineCount) lines, at most \(longestMachine)")
            }
        },
    ]

    /// The lines of the declaration of the front's machine, and of each extension.
    private static func machineParts(in tokens: [Token]) -> [ClosedRange<Int>] {
        tokens.indices.dropFirst().compactMap { index in
            guard tokens[index].text == "FrontMachine", ["struct", "extension"].contains(tokens[index - 1].text) else { return nil }
            var depth = 0
            for token in tokens[index...] where ["{", "}"].contains(token.text) {
                depth += token.text == "{" ? 1 : -1
                if depth == 0 { return tokens[index - 1].line...token.line }
            }
            return nil
        }
    }

    static func isScript(_ file: SourceFile) -> Bool {
        // A list that a script reads is data.
        ["deploy", "Scripts", ".ci"].contains(file.folders.first ?? "") && !file.path.hasSuffix(".txt")
    }

    /// Names of the types declared at the top level that other files can see.
    private static func topLevelTypes(in tokens: [Token]) -> [Token] {
        var depth = 0
        var isPrivate = false
        var found: [Token] = []
        for (index, token) in tokens.enumerated() {
            switch token.text {
            case "{", "(", "[": depth += 1
            case "}", ")", "]":
                depth -= 1
                if token.text == "}" { isPrivate = false }
            case "private", "fileprivate":
                if depth == 0 { isPrivate = true }
            case "extension", "func", "let", "var", "import", "typealias":
                if depth == 0 { isPrivate = false }
            case "struct", "class", "enum", "actor", "protocol":
                guard depth == 0, index + 1 < tokens.count, tokens[index + 1].isWord else { continue }
                guard index == 0 || !["import", "."].contains(tokens[index - 1].text) else { continue }
                if !isPrivate { found.append(tokens[index + 1]) }
            default: continue
            }
        }
        return found
    }
}
