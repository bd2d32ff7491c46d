//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension InjectedViolation {
    private static let filler = "    _ = 1\n"
    private static let fileRule = "files have at most 400 lines"
    private static let functionRule = "functions have at most 70 lines"
    private static let nounRule = "the commands of a noun have at most 300 lines"
    private static let shortRule = "a file of Sources under 30 lines has a reason"

    private static let typedRule = "lines to be typed have at most 160 characters"
    private static let machineRule = "FrontMachine with all its extensions has under 250 lines"

    static let sizes = [
        InjectedViolation(
            machineRule, "Sources/FrontCore/FrontMachine.swift",
            "public struct FrontMachine: Sendable {\n" + String(repeating: filler, count: 120) + "}\n\nextension Other {\n}\n\n"
                + "extension FrontMachine {\n" + String(repeating: filler, count: 126) + "}\n", lines: [127]),
        InjectedViolation(
            machineRule, "Sources/gantry/A.swift",
            "extension FrontMachine {\n" + String(repeating: filler, count: 247) + "}\n// FrontMachine\n", lines: []),
        InjectedViolation(
            machineRule, "Tests/FrontCoreTests/A.swift",
            "extension FrontMachine {\n" + String(repeating: filler, count: 300) + "}\n", lines: []),
        InjectedViolation(fileRule, "Sources/GantryModel/A.swift", String(repeating: "//\n", count: 401), lines: [401]),
        InjectedViolation(fileRule, "deploy/run", String(repeating: "#\n", count: 401), lines: [401]),
        InjectedViolation(fileRule, "Sources/GantryModel/A.swift", String(repeating: "//\n", count: 400), lines: []),
        InjectedViolation(
            functionRule, "Sources/GantryModel/A.swift", "func a() {\n" + String(repeating: filler, count: 69) + "}\n", lines: [1]),
        InjectedViolation(
            functionRule, "Tests/GantryModelTests/A.swift",
            "func a(\n    _ b: () -> Int = { 1 }\n) {\n" + String(repeating: filler, count: 68) + "}\n", lines: [1]),
        InjectedViolation(
            functionRule, "Sources/GantryModel/A.swift",
            "struct A {\n  var b: Int {\n" + String(repeating: filler, count: 70) + "  }\n  init() {}\n}\n", lines: [2]),
        InjectedViolation(
            functionRule, "Sources/GantryModel/A.swift", "func a() {\n" + String(repeating: filler, count: 68) + "}\n", lines: []),
        // Braces in strings and comments open nothing; what stands in an interpolation does.
        InjectedViolation(
            functionRule, "Sources/GantryModel/A.swift",
            "func a() { let b = \"{\"; /* { /* { */ */ let c = #\"\"\"#  // {\n}\n" + String(repeating: "\n", count: 80), lines: []),
        InjectedViolation(
            functionRule, "Sources/GantryModel/A.swift",
            "func a() { let b = \"\"\"\n  {{{ \\(c { d }) \"quoted\" \\\"\"\"\n  \"\"\"\n}\n" + String(repeating: "\n", count: 80),
            lines: []),
        InjectedViolation(
            functionRule, "Sources/GantryModel/A.swift",
            "protocol A {\n  func b()\n  init(c: Int)\n  var d: Int { get }\n}\nstruct E {\n" + String(repeating: filler, count: 80)
                + "}\n",
            lines: []),
        InjectedViolation(typedRule, "README.md", "```sh\ngantry up\n" + String(repeating: "ü", count: 161) + "\n```\n", lines: [3]),
        InjectedViolation(
            typedRule, "README.md",
            "```text\n" + String(repeating: "a", count: 161) + "\n```\n" + String(repeating: "a", count: 161) + "\n```sh\n"
                + String(repeating: "ü", count: 160) + "\n```\n", lines: []),
        InjectedViolation(nounRule, "Sources/gantry/Commands/Up.swift", String(repeating: "//\n", count: 301), lines: [301]),
        InjectedViolation(nounRule, "Sources/gantry/Other.swift", String(repeating: "//\n", count: 301), lines: []),
        InjectedViolation(shortRule, "Sources/GantryModel/A.swift", String(repeating: "//\n", count: 29), lines: [29]),
        InjectedViolation(shortRule, "Sources/GantryModel/A.swift", String(repeating: "//\n", count: 30), lines: []),
        InjectedViolation(shortRule, "Sources/GantryModel/Generated/A.swift", "let a = 1\n", lines: []),
        InjectedViolation(shortRule, "Tests/GantryModelTests/A.swift", "let a = 1\n", lines: []),
    ]
}
