// swift-tools-version: 6.2
import PackageDescription

/// Every hand-written target: Swift 6 mode, warnings as errors, strict memory safety and explicit imports.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "gantry",
    products: [
    ],
    dependencies: [
    ],
    targets: [
        .testTarget(name: "TidyTests", swiftSettings: strict),
    ]
)
