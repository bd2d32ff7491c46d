//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension InjectedViolation {
    private static let licenseRule = "Swift files begin with the license"
    private static let sleepRule = "tests never sleep or poll"
    private static let header = Rule.licenseHeader.joined(separator: "\n")

    // The rules read tokens, and what stands in a string is none: this file keeps the rules of which it has violations.
    static let texts = [
        InjectedViolation(licenseRule, "Sources/GantryModel/A.swift", "let a = 1\n", lines: [1]),
        InjectedViolation(licenseRule, "Sources/GantryModel/A.swift", "\n" + header + "\nlet a = 1\n", lines: [1]),
        InjectedViolation(licenseRule, "Sources/GantryModel/A.swift", header + "\nlet a = 1\n", lines: []),
        InjectedViolation(licenseRule, "Package.swift", "// swift-tools-version: 6.2\n", lines: []),
        InjectedViolation(
            sleepRule, "Tests/GantryModelTests/A.swift",
            "try await Task.sleep(for: .seconds(1))\nsleep(1)\n", lines: [1, 2]),
        InjectedViolation(
            sleepRule, "Tests/GantryModelTests/A.swift", "usleep(5)\nThread.sleep(forTimeInterval: 1)\n", lines: [1, 2]),
        InjectedViolation(sleepRule, "Tests/GantryModelTests/A.swift", "while !done { await Task.yield() }\n", lines: [1]),
        InjectedViolation(
            sleepRule, "Tests/GantryModelTests/A.swift",
            "stream.yield(1)\nlet sleep = Job(loader: \"sleep\") // sleep(1)\nfunc sleep(until: Int) {}\n", lines: []),
        InjectedViolation(sleepRule, "Sources/Loaders/A.swift", "try await clock.sleep(for: a)\n", lines: []),
    ]
}
