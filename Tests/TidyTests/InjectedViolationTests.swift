//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Testing

@Suite("Injected violations")
struct InjectedViolationTests {
    @Test("are found where they stand and nowhere else", arguments: InjectedViolation.all)
    func found(_ injected: InjectedViolation) throws {
        let rule = try #require(Rule.all.first { $0.name == injected.rule })
        let found = rule.violations([SourceFile(injected.path, injected.text)])
        #expect(found.map(\.line) == injected.lines, "\(found)")
    }

    @Test("a folder that names a type of a folder above it is found, one that names types below it is not")
    func folders() throws {
        let rule = try #require(Rule.folderRules.first)
        let low = SourceFile("Sources/FrontCore/Records/A.swift", "struct Low {\n    var high: High?\n    var kind: Kind { .high }\n}\n")
        let high = SourceFile("Sources/FrontCore/Queue/B.swift", "struct High {\n    var low: Low\n    enum Kind { case high }\n}\n")
        let other = SourceFile("Sources/FrontCore/Loop/C.swift", "enum Kind { case low }\n")
        #expect(rule.violations([low, high, other]).map { "\($0.path):\($0.line)" } == ["Sources/FrontCore/Records/A.swift:2"])
    }

    @Test("the table of arrows names only modules that it lists, and has no circle")
    func arrows() {
        var left = ModuleRules.arrows
        while let free = left.keys.sorted().first(where: { left[$0]?.isDisjoint(with: left.keys) == true }) {
            left.removeValue(forKey: free)
        }
        #expect(left.keys.sorted() == [])
        for (module, targets) in ModuleRules.arrows {
            #expect(targets.subtracting(ModuleRules.arrows.keys) == [], "\(module)")
        }
    }
}
