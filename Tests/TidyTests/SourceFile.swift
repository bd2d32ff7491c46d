//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A text file of the repository, scanned once when it is Swift.
struct SourceFile: Sendable {
    /// Relative to the root of the repository, with slashes.
    let path: String
    let lines: [String]
    /// Swift without comments and contents of strings, line by line; empty for other files.
    let code: [String]
    let comments: [String]
    let tokens: [Token]

    init(_ path: String, _ text: String) {
        self.path = path
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last?.isEmpty == true { lines.removeLast() }
        self.lines = lines
        guard path.hasSuffix(".swift") else {
            code = []
            comments = []
            tokens = []
            return
        }
        let scanner = SourceScanner(text)
        code = scanner.code
        comments = scanner.comments
        tokens = Token.tokens(of: scanner.code)
    }

    var isSwift: Bool { path.hasSuffix(".swift") }
    /// Whether it is part of what is built from the root and is no test: the measuring code stands with the other benchmarks.
    var isSource: Bool { isSwift && (path.hasPrefix("Sources/") || path.hasPrefix("Benchmarks/Measuring/")) }
    var isTest: Bool { isSwift && path.hasPrefix("Tests/") }
    var folders: [Substring] { path.split(separator: "/").dropLast() }
    var name: Substring { path.split(separator: "/").last ?? "" }

    /// The target that a source or a test belongs to.
    var target: String? {
        guard isSource || isTest else { return nil }
        return folders.dropFirst().first { $0 != "Examples" }.map(String.init)
    }

    func violation(_ line: Int, _ text: String) -> Violation {
        Violation(path: path, line: line, text: text)
    }
}
