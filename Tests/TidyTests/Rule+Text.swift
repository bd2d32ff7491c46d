//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension Rule {
    static let licenceHeader = [
        "//", "// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.", "//",
    ]

    static let textRules = [
        Rule("Swift files begin with the licence", in: { $0.isSwift && $0.name != "Package.swift" }) { file in
            file.lines.prefix(3).elementsEqual(licenceHeader) ? [] : [file.violation(1, "the licence header is missing")]
        },
        Rule("nothing is left for later", in: { $0.isSwift || isScript($0) }) { file in
            matches(in: file) { line in leftovers.first { line.contains($0) } ?? marks.first { words(of: line).contains($0) } }
        },
        Rule("tests never sleep or poll", in: \.isTest) { file in
            sleeps(in: file.tokens).map { file.violation($0.line, "\($0.text): await a signal or move a manual clock") }
        },
    ]

    // In pieces, so that this file keeps its own rules.
    private static let leftovers = ["not " + "implemented", "not yet " + "implemented", "place" + "holder"]
    private static let marks: Set<String> = ["TO" + "DO", "FIX" + "ME", "X" + "XX"]

    private static func matches(in file: SourceFile, _ find: (String) -> String?) -> [Violation] {
        file.lines.enumerated().compactMap { number, line in find(line).map { file.violation(number + 1, "“\($0)”") } }
    }

    private static func words(of line: String) -> [String] {
        line.split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }

    private static func sleeps(in tokens: [Token]) -> [Token] {
        tokens.indices.compactMap { index in
            let token = tokens[index]
            let isCall = index + 1 < tokens.count && tokens[index + 1].text == "("
            let isDeclared = index > 0 && tokens[index - 1].text == "func"
            if ["sleep", "usleep", "nanosleep"].contains(token.text), isCall, !isDeclared { return token }
            let isOfTask = index > 1 && tokens[index - 1].text == "." && tokens[index - 2].text == "Task"
            return token.text == "yield" && isOfTask ? token : nil
        }
    }
}
