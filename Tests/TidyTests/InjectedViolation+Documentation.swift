//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension InjectedViolation {
    private static let rule = "every public declaration is documented"
    private static let path = "Sources/GantryModel/A.swift"

    static let documentation = [
        InjectedViolation(rule, path, "public struct A {}\n", lines: [1]),
        InjectedViolation(rule, path, "/// A job.\npublic struct A { public let b: Int }\n", lines: []),
        InjectedViolation(rule, path, "/// A job.\npublic struct A {\n  // Its number.\n  public let b: Int\n}\n", lines: [4]),
        InjectedViolation(rule, path, "/// Job.\npublic struct A {}\n", lines: [2]),
        InjectedViolation(rule, path, "///\npublic func a() {}\n", lines: [2]),
        InjectedViolation(rule, path, "open class A {}\n/// Too far away.\n\npublic static let b = 1\n", lines: [1, 4]),
        InjectedViolation(
            rule, path,
            "/// A thing that\n/// is told well.\n@frozen\n@available(*, unavailable)\npublic enum A {}\n", lines: []),
        InjectedViolation(rule, path, "public import GantryModel\npublic extension A {}\nfile.open(a)\nlet a: B = .public\n", lines: []),
        InjectedViolation(
            rule, path,
            "public static func == (a: A, b: A) -> Bool {}\npublic var description: String { \"\" }\n", lines: []),
        InjectedViolation(
            rule, path, "public init(a: Int = 1, _ b: B = B()) {\n  self.a = a\n  (self.b, self.c) = (b, nil)\n}\n", lines: []),
        InjectedViolation(rule, path, "public init(a: Int) {\n  self.a = max(a, 1)\n}\n", lines: [1]),
        InjectedViolation(rule, path, "public init(a: Int) {\n  self.a = a ?? 1\n}\npublic init?(b: Int) { self.b = b }\n", lines: [1, 4]),
        InjectedViolation(rule, "Tests/GantryModelTests/A.swift", "public struct A {}\n", lines: []),
    ]

    private static let turnRule = "FrontMachine.handle is called in one place, the loop"

    static let turn = [
        InjectedViolation(turnRule, "Sources/FrontService/Front.swift", "machine.handle(event, at: now, into: &actions)\n", lines: [1]),
        InjectedViolation(
            turnRule, "Sources/gantry/Front.swift",
            "var core = FrontMachine()\ncore.handle(event, at: now, into: &a)\n", lines: [2]),
        InjectedViolation(turnRule, "Sources/FrontCore/FrontLoop.swift", "machine.handle(a)\nself.machine.handle(b)\n", lines: [2]),
        InjectedViolation(turnRule, "Sources/FrontCore/FrontLoop.swift", "struct FrontMachine {}\nfunc turn() {}\n", lines: [1]),
        InjectedViolation(turnRule, "Sources/FrontCore/FrontLoop.swift", "struct FrontMachine {}\nmachine.handle(event)\n", lines: []),
        InjectedViolation(turnRule, "Sources/GantryWorker/WorkerLoop.swift", "machine.handle(event)\n", lines: []),
        InjectedViolation(turnRule, "Tests/FrontCoreTests/FrontMachineTests.swift", "FrontMachine().handle(event)\n", lines: []),
    ]
}
