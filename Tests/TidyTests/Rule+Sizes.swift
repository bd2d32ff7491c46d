//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension Rule {
    static let longestFile = 400
    static let longestFunction = 70
    static let shortestFile = 30
    static let longestNoun = 300
    static let longestMachine = 249
    /// People copy such lines from a page of so many characters, and see at once what each does.
    static let longestTyped = 160

    /// The files that are shorter than an idea usually is, each with why it stands alone.
    private static let shortFiles = [
        "Sources/Examples/WorkerExample/WorkerExample.swift": "is a whole worker, as the documents show it",
        "Sources/GantryPlatform/SHA256.swift": "alone names OpenSSL",
        "Sources/Loading/Loaders/Timeline.swift": "is the time of all loaders",
        "Sources/gantry/Commands/GantryCommand.swift": "is the root of the verbs",
    ]

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
        Rule("the commands of a noun have at most 300 lines", in: { $0.path.hasPrefix("Sources/gantry/Commands/") }) { file in
            file.lines.count <= longestNoun
                ? [] : [file.violation(file.lines.count, "\(file.lines.count) lines, at most \(longestNoun)")]
        },
        Rule("lines to be typed have at most 160 characters", in: { $0.path == "README.md" }) { file in
            typedLines(of: file).filter { file.lines[$0 - 1].count > longestTyped }.map {
                file.violation($0, "\(file.lines[$0 - 1].count) characters, at most \(longestTyped): say less behind the command")
            }
        },
        Rule("a file of Sources under 30 lines has a reason", in: { $0.isSource && !$0.folders.contains("Generated") }) { file in
            file.lines.count >= shortestFile || shortFiles[file.path] != nil
                ? [] : [file.violation(file.lines.count, "\(file.lines.count) lines: put it beside the type that it serves")]
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

    /// The numbers of the lines in a page's blocks of `sh`.
    private static func typedLines(of file: SourceFile) -> [Int] {
        var (numbers, fence): ([Int], String?) = ([], nil)
        for (index, line) in file.lines.enumerated() {
            if line.hasPrefix("```") {
                fence = fence == nil ? line : nil
            } else if fence == "```sh" {
                numbers.append(index + 1)
            }
        }
        return numbers
    }

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
        // A list that a script reads is data, and the rig in Python has sizes of its own.
        ["deploy", "Scripts", ".ci"].contains(file.folders.first ?? "") && ![".txt", ".py"].contains { file.path.hasSuffix($0) }
    }
}
