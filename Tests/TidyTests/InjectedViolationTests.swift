//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Testing

@Suite("Injected violations")
struct InjectedViolationTests {
    @Test("are found where they stand and nowhere else", arguments: InjectedViolation.all)
    func found(_ injected: InjectedViolation) throws {
        let rule = try #require(Rule.all.first { $0.name == injected.rule })
        let found = rule.violations([SourceFile(injected.path, injected.text)] + injected.others)
        #expect(found.map(\.line) == injected.lines, "\(found)")
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
