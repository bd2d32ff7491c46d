//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension Rule {
    static let importRules = [
        Rule("pure parts import the standard library, collections and Model only", in: ModuleRules.isPure) { file in
            imports(of: file).filter { !ModuleRules.mayBeImportedByPureParts($0.text, in: file) }.map {
                file.violation($0.line, "a pure part must not import \($0.text)")
            }
        },
        Rule("arrows between modules point down", in: \.isSource) { file in
            guard let target = file.target else {
                return [file.violation(1, "stands in no target: Sources has one folder for each")]
            }
            guard let allowed = ModuleRules.arrows[target] else {
                return [file.violation(1, "\(target) has no line in the table of ModuleRules")]
            }
            return imports(of: file).filter { ModuleRules.isOurs($0.text) && !allowed.contains($0.text) }.map {
                file.violation($0.line, "\(target) must not import \($0.text)")
            }
        },
        Rule("packages have exact versions", in: { $0.path.hasSuffix("Package.swift") }) { file in
            file.lines.enumerated().filter { $0.element.contains(".package(url:") && !$0.element.contains(", exact: \"") }.map {
                file.violation($0.offset + 1, "name one version with exact:, so that every machine builds the same")
            }
        },
    ]

    /// The first component of each imported module.
    static func imports(of file: SourceFile) -> [Token] {
        let kinds: Set<String> = ["struct", "class", "enum", "protocol", "typealias", "func", "var", "let"]
        return file.tokens.indices.compactMap { index in
            guard file.tokens[index].text == "import", index + 1 < file.tokens.count else { return nil }
            var next = index + 1
            if kinds.contains(file.tokens[next].text) { next += 1 }
            guard next < file.tokens.count, file.tokens[next].isWord else { return nil }
            return file.tokens[next]
        }
    }
}
