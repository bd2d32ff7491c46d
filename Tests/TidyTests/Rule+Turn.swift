//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension Rule {
    /// The machine of the front is driven from one place, so that whatever the simulation proves holds in production.
    static let theTurnDecides = Rule("FrontMachine.handle is called in one place, the loop") { files in
        let sources = files.filter { $0.isSource && !isDecidedElsewhere($0) }
        let declares = sources.contains { file in
            file.tokens.indices.contains { $0 > 0 && file.tokens[$0].text == "FrontMachine" && file.tokens[$0 - 1].text == "struct" }
        }
        let calls = sources.flatMap { file in callsOfHandle(in: file).map { (file, $0) } }
        var violations = calls.filter { !$0.0.name.hasPrefix("FrontLoop") }.map { file, line in
            file.violation(line, "only FrontLoop hands events to the machine")
        }
        violations += calls.filter { $0.0.name.hasPrefix("FrontLoop") }.dropFirst().map { file, line in
            file.violation(line, "a second place hands events to the machine")
        }
        if declares, sources.contains(where: { $0.name.hasPrefix("FrontLoop") }), calls.isEmpty {
            violations.append(Violation(path: "Sources/FrontCore", line: 1, text: "the loop never calls the machine"))
        }
        return violations
    }

    /// Machines of workers and clients have loops of their own.
    private static func isDecidedElsewhere(_ file: SourceFile) -> Bool {
        guard let target = file.target else { return false }
        let isFront = target.hasPrefix("Front") || target == "Simulation"
        return !isFront && !file.tokens.contains { $0.text == "FrontMachine" }
    }

    private static func callsOfHandle(in file: SourceFile) -> [Int] {
        let tokens = file.tokens
        return tokens.indices.compactMap { index in
            guard tokens[index].text == "handle", index > 1, index + 1 < tokens.count else { return nil }
            guard tokens[index + 1].text == "(", tokens[index - 1].text == "." else { return nil }
            let receiver = tokens[index - 2].text.lowercased()
            return receiver.hasSuffix("machine") || receiver == "front" || receiver == "core" ? tokens[index].line : nil
        }
    }
}
