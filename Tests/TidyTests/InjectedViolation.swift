//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A text with violations of one rule in known lines. With no lines it is a text that must not be taken for a violation.
struct InjectedViolation: Sendable, CustomStringConvertible {
    let rule: String
    let path: String
    let text: String
    /// From 1.
    let lines: [Int]
    /// What else is there, without a violation of its own.
    let others: [SourceFile]

    var description: String { "\(rule): \(lines.isEmpty ? "clean" : "injected") \(path)" }

    init(_ rule: String, _ path: String, _ text: String, lines: [Int], beside others: [SourceFile] = []) {
        self.rule = rule
        self.path = path
        self.text = text
        self.lines = lines
        self.others = others
    }

    static let all = sizes + imports + safety + texts + words + documentation + turn + machines
}
