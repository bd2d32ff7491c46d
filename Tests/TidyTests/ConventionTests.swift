//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import TestSupport
import Testing

@Suite("The conventions")
struct ConventionTests {
    @Test("are kept", arguments: Rule.all)
    func holds(_ rule: Rule) async throws {
        let violations = try await onOwnThread { rule.violations(try Checkout.files.get()) }
        guard !violations.isEmpty else { return }
        Issue.record(Comment(rawValue: violations.map(\.description).joined(separator: "\n")))
    }

    @Test("are looked at: the checkout has sources, tests and scripts")
    func isNotEmpty() throws {
        let files = try Checkout.files.get()
        #expect(files.contains { $0.isSource })
        #expect(files.contains { $0.path == "Tests/TidyTests/ConventionTests.swift" })
        #expect(files.contains { $0.path == "deploy/test" })
        #expect(files.contains { $0.path == "README.md" })
    }

    @Test("run in the continuous integration exactly what people run")
    func continuousIntegration() throws {
        let files = try Checkout.files.get()
        let script = try #require(files.first { $0.path == ".ci/run" })
        let commands = script.lines.filter { !$0.hasPrefix("#") }
        #expect(commands == [#"exec "$(dirname "${BASH_SOURCE[0]}")/../deploy/test" "$@""#])
    }

    @Test("use each arrow that the table of modules allows: one that nobody needs would forbid nothing")
    func arrowsAreUsed() throws {
        var unused = ModuleRules.arrows
        for file in try Checkout.files.get() where file.isSource {
            guard let target = file.target else { continue }
            for module in Rule.imports(of: file) { unused[target]?.remove(module.text) }
        }
        #expect(unused.filter { !$0.value.isEmpty } == [:])
    }

    @Test("name each rule once and inject at least one violation of each")
    func everyRuleIsTested() {
        let names = Rule.all.map(\.name)
        #expect(Set(names).count == names.count)
        let injected = Set(InjectedViolation.all.map(\.rule))
        #expect(names.filter { !injected.contains($0) } == [])
        #expect(injected.subtracting(names) == [])
    }
}
