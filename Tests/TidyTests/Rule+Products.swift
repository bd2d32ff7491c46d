//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension Rule {
    /// What a product brings is compiled in the graph of those who use it, where two modules of one name cannot be: also those that the product
    /// does not show. `CGantry` is what is written in C.
    private static let modulePrefixes = ["Gantry", "CGantry"]

    /// The charter of the project names these two.
    private static let charterModules: Set<String> = ["CZMQ", "Loading"]

    static let productRules = [
        Rule("modules that a product brings have Gantry's name", in: { $0.path == "Package.swift" }) { file in
            let declarations = declarations(in: file)
            var dependencies: [String: (names: [String], line: Int)] = [:]
            for target in declarations where target.kind != "library" {
                dependencies[target.name] = (target.lists["dependencies"] ?? [], target.line)
            }
            var brought: Set<String> = []
            var left = declarations.filter { $0.kind == "library" }.flatMap { $0.lists["targets"] ?? [] }
            while let module = left.popLast() {
                if brought.insert(module).inserted { left += dependencies[module]?.names ?? [] }
            }
            let foreign = brought.filter { module in
                !charterModules.contains(module) && !modulePrefixes.contains { module.hasPrefix($0) }
            }
            return foreign.map { (dependencies[$0]?.line ?? 1, $0) }.sorted { $0 < $1 }.map {
                file.violation($0, "a product brings \($1): its name may clash with a user's, so let it begin with Gantry")
            }
        }
    ]

    /// A product or a target of a package.
    private struct Declaration {
        let kind: String
        var name = ""
        /// The words in quotation marks of each argument that is a list, without products of other packages.
        var lists: [String: [String]] = [:]
        let line: Int
    }

    /// The libraries and targets of a manifest that is formatted as ours: arguments have labels, and strings no brackets.
    private static func declarations(in file: SourceFile) -> [Declaration] {
        let kinds = ["library", "target", "executableTarget", "systemLibrary"]
        var (found, open, depth, label, product): ([Declaration], Int?, Int, String, Int?) = ([], nil, 0, "", nil)
        for (index, line) in file.lines.enumerated() {
            var word = ""
            var quoted: String?
            for character in line {
                if let text = quoted {
                    guard character == "\"" else {
                        quoted = text + String(character)
                        continue
                    }
                    quoted = nil
                    guard open != nil, product == nil, let last = found.indices.last else { continue }
                    if label == "name" { found[last].name = text } else { found[last].lists[label, default: []].append(text) }
                    continue
                }
                switch character {
                case "\"": quoted = ""
                case "(":
                    depth += 1
                    if open == nil, kinds.contains(word) {
                        (open, label) = (depth, "")
                        found.append(Declaration(kind: word, line: index + 1))
                    } else if open != nil, product == nil {
                        product = depth
                    }
                case ")":
                    if open == depth { open = nil }
                    if product == depth { product = nil }
                    depth -= 1
                case ":": if product == nil { label = word }
                default: break
                }
                word = character.isLetter ? word + String(character) : ""
            }
        }
        return found
    }
}
