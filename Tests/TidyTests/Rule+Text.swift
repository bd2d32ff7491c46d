//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension Rule {
    static let licenseHeader = [
        "//", "// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.", "//",
    ]

    static let textRules = [
        Rule("Swift files begin with the license", in: { $0.isSwift && $0.name != "Package.swift" }) { file in
            file.lines.prefix(3).elementsEqual(licenseHeader) ? [] : [file.violation(1, "the license header is missing")]
        },
        Rule("tests never sleep or poll", in: \.isTest) { file in
            sleeps(in: file.tokens).map { file.violation($0.line, "\($0.text): await a signal or move a manual clock") }
        },
    ]

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
