//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension InjectedViolation {
    private static let pureRule = "pure parts import the standard library, collections and Model only"
    private static let arrowRule = "arrows between modules point down"
    private static let folderRule = "folders of a module name types of those below them only"
    private static let productRule = "modules that a product brings have Gantry's name"
    private static let exactRule = "packages have exact versions"

    static let imports = [
        InjectedViolation(pureRule, "Sources/GantryModel/A.swift", "import Foundation\n", lines: [1]),
        InjectedViolation(pureRule, "Sources/FrontCore/Queue/A.swift", "import GantryModel\npublic import Dispatch\n", lines: [2]),
        InjectedViolation(pureRule, "Sources/GantryWorker/Core/A.swift", "import struct Glibc.timespec\n", lines: [1]),
        InjectedViolation(pureRule, "Sources/Loading/A.swift", "import GantryModel\n", lines: [1]),
        InjectedViolation(pureRule, "Sources/Loading/A.swift", "#if os(Linux)\n@preconcurrency import Glibc\n#endif\n", lines: [2]),
        InjectedViolation(
            pureRule, "Sources/FrontCore/A.swift", "import DequeModule\npublic import GantryModel\nimport OrderedCollections\n", lines: []),
        InjectedViolation(pureRule, "Sources/Loading/A.swift", "import Observation\nimport Foundation\n", lines: []),
        InjectedViolation(pureRule, "Sources/GantryWorker/Loop/A.swift", "import Dispatch\n", lines: []),
        InjectedViolation(pureRule, "Sources/GantryModel/A.swift", "// import Foundation\nlet a = \"import Glibc\"\n", lines: []),
        InjectedViolation(arrowRule, "Sources/GantryModel/A.swift", "import GantryWire\n", lines: [1]),
        InjectedViolation(arrowRule, "Sources/GantryWire/A.swift", "import GantryModel\npublic import FrontService\n", lines: [2]),
        InjectedViolation(arrowRule, "Sources/gantry/A.swift", "import TestSupport\n", lines: [1]),
        InjectedViolation(arrowRule, "Benchmarks/Measuring/A.swift", "import GantryClient\nimport Loaders\n", lines: [2]),
        InjectedViolation(arrowRule, "Sources/Unheard/A.swift", "let a = 1\n", lines: [1]),
        InjectedViolation(arrowRule, "Sources/A.swift", "let a = 1\n", lines: [1]),
        InjectedViolation(arrowRule, "Sources/GantryWire/A.swift", "import GantryModel\nimport SwiftProtobuf\n", lines: []),
        InjectedViolation(folderRule, "Sources/FrontCore/Unheard/A.swift", "let a = 1\n", lines: [1]),
        InjectedViolation(
            folderRule, "Sources/FrontCore/Records/A.swift", "struct Low {\n    var high: High?\n    var kind: Kind { .high }\n}\n",
            lines: [2],
            beside: [
                SourceFile("Sources/FrontCore/Queue/B.swift", "struct High {\n    var low: Low\n    enum Kind { case high }\n}\n"),
                SourceFile("Sources/FrontCore/Loop/C.swift", "enum Kind { case low }\n"),
            ]),
        InjectedViolation(exactRule, "Package.swift", "[\n.package(url: \"https://a/b\", from: \"1.0.0\"),\n]\n", lines: [2]),
        InjectedViolation(
            exactRule, "Package.swift", ".package(url: \"https://a/b\", exact: \"1.0.0\"),\n.package(path: \"..\"),\n", lines: []),
        InjectedViolation(
            productRule, "Package.swift",
            """
            .library(name: "GantryA", targets: ["GantryA"]),
            .target(name: "GantryA", dependencies: ["Loading", .product(name: "Other", package: "other"), "Low"]),
            .target(
                name: "Low",
                dependencies: ["CLow", "CZMQ", "CGantryLow"], swiftSettings: strict),
            .systemLibrary(name: "CLow", path: "Sources/CLow"),
            .executableTarget(name: "Alone", dependencies: ["Below"]),
            .target(name: "Below"),
            """, lines: [3, 6]),
    ]
}
