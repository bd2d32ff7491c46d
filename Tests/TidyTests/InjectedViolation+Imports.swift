//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension InjectedViolation {
    private static let pureRule = "pure parts import the standard library, collections and Model only"
    private static let arrowRule = "arrows between modules point down"
    private static let exactRule = "packages have exact versions"

    static let imports = [
        InjectedViolation(pureRule, "Sources/Model/A.swift", "import Foundation\n", lines: [1]),
        InjectedViolation(pureRule, "Sources/FrontCore/Queue/A.swift", "import Model\npublic import Dispatch\n", lines: [2]),
        InjectedViolation(pureRule, "Sources/WorkerKit/Core/A.swift", "import struct Glibc.timespec\n", lines: [1]),
        InjectedViolation(pureRule, "Sources/Loading/A.swift", "import Model\n", lines: [1]),
        InjectedViolation(pureRule, "Sources/Loading/A.swift", "#if os(Linux)\n@preconcurrency import Glibc\n#endif\n", lines: [2]),
        InjectedViolation(
            pureRule, "Sources/FrontCore/A.swift", "import DequeModule\npublic import Model\nimport OrderedCollections\n", lines: []),
        InjectedViolation(pureRule, "Sources/Loading/A.swift", "import Observation\nimport Foundation\n", lines: []),
        InjectedViolation(pureRule, "Sources/WorkerKit/Loop/A.swift", "import Dispatch\n", lines: []),
        InjectedViolation(pureRule, "Sources/Model/A.swift", "// import Foundation\nlet a = \"import Glibc\"\n", lines: []),
        InjectedViolation(arrowRule, "Sources/Model/A.swift", "import Wire\n", lines: [1]),
        InjectedViolation(arrowRule, "Sources/Wire/A.swift", "import Model\npublic import FrontService\n", lines: [2]),
        InjectedViolation(arrowRule, "Sources/gantry/A.swift", "import TestSupport\n", lines: [1]),
        InjectedViolation(arrowRule, "Sources/Unheard/A.swift", "let a = 1\n", lines: [1]),
        InjectedViolation(arrowRule, "Sources/A.swift", "let a = 1\n", lines: [1]),
        InjectedViolation(arrowRule, "Sources/Wire/A.swift", "import Model\nimport SwiftProtobuf\n", lines: []),
        InjectedViolation(exactRule, "Package.swift", "[\n.package(url: \"https://a/b\", from: \"1.0.0\"),\n]\n", lines: [2]),
        InjectedViolation(
            exactRule, "Package.swift", ".package(url: \"https://a/b\", exact: \"1.0.0\"),\n.package(path: \"..\"),\n", lines: []),
    ]
}
