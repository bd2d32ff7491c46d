//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension InjectedViolation {
    private static let crashRule = "Sources never give up: no forced try, cast or unwrap, no fatalError"
    private static let catchRule = "Sources have no empty catch"
    private static let proofRule = "a promise to the compiler stands below its proof"
    private static let clockRule = "Sources wait by the monotonic clock"
    private static let writerRule = "JSON is written by JSONWriter"
    private static let inlinableRule = "what the package inlines belongs to a type that is usable from inline"
    private static let unsafeRule = "only ZMQ and Platform say unsafe"

    static let safety = [
        InjectedViolation(crashRule, "Sources/GantryModel/A.swift", "let a = try! b()\n", lines: [1]),
        InjectedViolation(
            crashRule, "Sources/GantryModel/A.swift",
            "let a = b!\nlet c = d[0]!.e\nlet f = g()!\nvar h: Int!\n", lines: [1, 2, 3, 4]),
        InjectedViolation(crashRule, "Sources/GantryModel/A.swift", "let a = b as! Int\nfatalError()\n", lines: [1, 2]),
        InjectedViolation(crashRule, "Sources/GantryModel/A.swift", "let a = \"\\(b!)\"\nlet c = Int(\"1\")!\n", lines: [1, 2]),
        InjectedViolation(
            crashRule, "Sources/GantryModel/A.swift",
            "if !a, b != c, !(d) { e(!f) } // g!\nlet h = \"try! i! fatalError\"\n", lines: []),
        InjectedViolation(crashRule, "Tests/GantryModelTests/A.swift", "let a = b!\n", lines: []),
        InjectedViolation(
            catchRule, "Sources/GantryModel/A.swift",
            "do { try a() } catch {}\ndo { try a() } catch let b as C {\n  // why\n}\n", lines: [1, 2]),
        InjectedViolation(catchRule, "Sources/GantryModel/A.swift", "do { try a() } catch { b = error }\n", lines: []),
        InjectedViolation(
            inlinableRule, "Sources/GantryModel/A.swift",
            "@frozen\npackage struct A {\n@inlinable package init() {}\n}\nextension A {\n@inlinable @inline(__always)\npackage static func a() {}\n}\n",
            lines: [3, 7]),
        InjectedViolation(
            inlinableRule, "Sources/GantryModel/A.swift",
            "@frozen @usableFromInline\npackage struct A {\n@inlinable package init() {}\n}\npublic enum B {}\nextension B {\n"
                + "@inlinable package init() {}\n}\npackage struct C { @inlinable init() {}\npackage func a() {}\n}\n",
            lines: []),
        InjectedViolation(proofRule, "Sources/GantryModel/A.swift", "struct A: @unchecked Sendable {}\n", lines: [1]),
        InjectedViolation(proofRule, "Sources/GantryModel/A.swift", "// It is fine.\nnonisolated(unsafe) var a = 1\n", lines: [2]),
        InjectedViolation(
            proofRule, "Sources/GantryModel/A.swift",
            "// Proof: of another line.\nlet b = 1\n@preconcurrency import C\n", lines: [3]),
        InjectedViolation(
            proofRule, "Sources/GantryModel/A.swift",
            "// Proof: written once before any thread starts,\n// read afterwards.\n@frozen\nstruct A: @unchecked Sendable {}\n", lines: []),
        InjectedViolation(proofRule, "Sources/GantryModel/A.swift", "// @unchecked would be wrong.\n", lines: []),
        InjectedViolation(clockRule, "Sources/GantryClient/A.swift", "import Dispatch\nlet a = DispatchSemaphore(value: 0)\n", lines: [2]),
        InjectedViolation(
            clockRule, "Tests/TestSupport/A.swift", "let a = DispatchSemaphore(value: 0)\n", lines: []),
        InjectedViolation(clockRule, "Sources/GantryClient/A.swift", "// not DispatchSemaphore\nlet a = MonotonicSemaphore()\n", lines: []),
        InjectedViolation(
            writerRule, "Sources/gantry/Program/A.swift",
            "let a = JSONEncoder()\nlet b = try JSONSerialization.data(withJSONObject: c)\n", lines: [1, 2]),
        InjectedViolation(writerRule, "Sources/GantryModel/A.swift", "_ = JSONSerialization.writeJSONObject(a, to: b)\n", lines: [1]),
        InjectedViolation(
            writerRule, "Sources/gantry/Program/A.swift",
            "// JSONEncoder\nlet a = try JSONSerialization.jsonObject(with: b)\nlet c = JSONDecoder()\n", lines: []),
        InjectedViolation(writerRule, "Sources/GantryFeedSettings/A.swift", "let a = JSONEncoder()\n", lines: []),
        InjectedViolation(writerRule, "Tests/GantryModelTests/A.swift", "let a = JSONEncoder()\n", lines: []),
        InjectedViolation(unsafeRule, "Sources/GantryClient/A.swift", "let a = unsafe b()\n", lines: [1]),
        InjectedViolation(unsafeRule, "Tests/GantryClientTests/A.swift", "let a = unsafe b()\n", lines: [1]),
        InjectedViolation(unsafeRule, "Sources/GantryZMQ/A.swift", "let a = unsafe b()\n", lines: []),
        InjectedViolation(
            unsafeRule, "Sources/GantryClient/A.swift",
            "// unsafe\nlet unsafeA = \"unsafe\"\nnonisolated(unsafe) var b = 1\n", lines: []),
    ]
}
