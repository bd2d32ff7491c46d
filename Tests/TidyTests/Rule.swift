//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A rule of how code looks here: what it is called and how its violations are found. Rules read text and nothing else.
struct Rule: Sendable, CustomStringConvertible {
    let name: String
    let violations: @Sendable (_ files: [SourceFile]) -> [Violation]

    var description: String { name }

    init(_ name: String, all violations: @escaping @Sendable (_ files: [SourceFile]) -> [Violation]) {
        self.name = name
        self.violations = violations
    }

    /// A rule that looks at one file at a time, and only at files for which `scope` holds.
    init(
        _ name: String,
        in scope: @escaping @Sendable (SourceFile) -> Bool,
        check: @escaping @Sendable (SourceFile) -> [Violation]
    ) {
        self.init(name) { files in files.filter(scope).flatMap(check) }
    }

    static let all: [Rule] =
        sizeRules + importRules + productRules + folderRules + machineRules + safetyRules + textRules + wordRules + documentationRules + [
            theTurnDecides
        ]
}
