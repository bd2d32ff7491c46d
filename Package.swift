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
        .library(name: "Loading", targets: ["Loading"]),
        .library(name: "Client", targets: ["Client"]),
        .library(name: "WorkerKit", targets: ["WorkerKit"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        .package(url: "https://github.com/apple/swift-protobuf", exact: "1.39.0"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    ],
    targets: [
        .executableTarget(
            name: "AllocationProbe", dependencies: ["CAllocations", "FrontCore", "Model", "Wire"], path: "Tests/AllocationProbe",
            swiftSettings: strict),
        .target(name: "CAllocations", path: "Tests/CAllocations"),
        .target(name: "CJournal", linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(name: "CPlatform"),
        .target(name: "CPowerCut", path: "Tests/CPowerCut", linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(name: "CQuota", path: "Tests/CQuota", linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(name: "CWrongClock", path: "Tests/CWrongClock"),
        .executableTarget(
            name: "CacheProbe", dependencies: ["FileCache", "Model"], path: "Tests/CacheProbe", swiftSettings: strict),
        .executableTarget(
            name: "ChaosWorker",
            dependencies: [
                "Loaders", "Model", "Platform", "WorkerKit", .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            path: "Tests/ChaosWorker", swiftSettings: strict),
        .target(
            name: "Client",
            dependencies: [
                "Loading", "Model", "Platform", "Settings", "Wire", "ZMQ", .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ClientTests", dependencies: ["Client", "Loading", "Model", "Platform", "Settings", "TestSupport", "Wire", "ZMQ"],
            swiftSettings: strict),
        .systemLibrary(name: "COpenSSL", path: "Sources/COpenSSL", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CZMQ", path: "Sources/CZMQ", providers: [.apt(["libzmq3-dev"])]),
        .target(name: "FeedSettings", swiftSettings: strict),
        .testTarget(name: "FeedSettingsTests", dependencies: ["FeedSettings"], swiftSettings: strict),
        .target(
            name: "FileCache",
            dependencies: ["Model", "Platform"],
            swiftSettings: strict),
        .testTarget(
            name: "FileCacheTests",
            dependencies: [
                "CacheProbe", "FileCache", "Model", "Platform", "TestSupport",
            ],
            swiftSettings: strict),
        .target(
            name: "FrontCore",
            dependencies: [
                "Model", .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
            ], swiftSettings: strict),
        .testTarget(
            name: "FrontCoreTests",
            dependencies: [
                "FrontCore", "Model", "TestSupport", "Wire", .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
            ], swiftSettings: strict),
        .executableTarget(
            name: "gantry",
            dependencies: [
                "Client", "FeedSettings", "FileCache", "FrontCore", "FrontService", "Journal", "Loaders", "Loading", "Model", "Origin",
                "Platform", "Settings", "StateJSON", "Wire", "WorkerKit", "ZMQ",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "GantryTests",
            dependencies: [
                "Client", "FrontCore", "FrontService", "Journal", "Model", "Platform", "Settings", "StateJSON", "TestSupport", "Wire",
                "gantry", .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .target(
            name: "FrontService",
            dependencies: [
                "FileCache", "FrontCore", "Journal", "Model", "Platform", "ZMQ",
                .product(name: "DequeModule", package: "swift-collections"),
            ], swiftSettings: strict),
        .testTarget(
            name: "FrontServiceTests",
            dependencies: [
                "FileCache", "FrontCore", "FrontService", "Journal", "Model", "Platform", "Simulation", "TestSupport", "Wire", "ZMQ",
            ],
            swiftSettings: strict),
        .target(
            name: "Journal", dependencies: ["CJournal", "Model", "Platform", .product(name: "GRDB", package: "GRDB.swift")],
            swiftSettings: strict),
        .executableTarget(
            name: "JournalProbe", dependencies: ["CQuota", "Journal", "Model"], path: "Tests/JournalProbe", swiftSettings: strict),
        .testTarget(
            name: "JournalTests",
            dependencies: [
                "Journal", "JournalProbe", "Model", "Platform", "TestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: strict),
        .target(
            name: "Loaders",
            dependencies: [
                "FeedSettings", "FileCache", "Model", "Platform", "WorkerKit",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "LoadersTests",
            dependencies: [
                "FeedSettings", "FileCache", "Loaders", "Model", "TestSupport", "WorkerKit",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict),
        .target(name: "Loading", swiftSettings: strict),
        .executableTarget(name: "LoadingExample", dependencies: ["Loading"], swiftSettings: strict),
        .testTarget(name: "LoadingTests", dependencies: ["Loading", "LoadingExample", "TestSupport"], swiftSettings: strict),
        .target(name: "Model", swiftSettings: strict),
        .testTarget(name: "ModelTests", dependencies: ["Model", "TestSupport"], swiftSettings: strict),
        .target(
            name: "Origin",
            dependencies: [
                "Model",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOFoundationCompat", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "OriginTests",
            dependencies: [
                "Model", "Origin",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOFoundationCompat", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: strict),
        .target(name: "Platform", dependencies: ["COpenSSL", "CPlatform"], swiftSettings: strict),
        .executableTarget(
            name: "PlatformProbe", dependencies: ["CWrongClock", "Platform"], path: "Tests/PlatformProbe", swiftSettings: strict),
        .testTarget(name: "PlatformTests", dependencies: ["Platform", "PlatformProbe", "TestSupport"], swiftSettings: strict),
        .executableTarget(
            name: "PowerCutProbe", dependencies: ["CPowerCut", "Journal", "Model", "TestSupport"], path: "Tests/PowerCutProbe",
            swiftSettings: strict),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "ChaosWorker", "Model", "Platform", "Settings", "TestSupport", "Wire", "ZMQ", "gantry",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOFoundationCompat", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "Simulate",
            dependencies: ["FrontCore", "Platform", "Simulation", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            swiftSettings: strict),
        .target(
            name: "Simulation",
            dependencies: [
                "Client", "FrontCore", "Journal", "Model", "Wire", "WorkerKit",
                .product(name: "DequeModule", package: "swift-collections"), .product(name: "HeapModule", package: "swift-collections"),
            ],
            swiftSettings: strict),
        .testTarget(name: "SimulationTests", dependencies: ["FrontCore", "Simulation", "TestSupport"], swiftSettings: strict),
        .executableTarget(
            name: "StackExample",
            dependencies: [
                "Client", "Loading", "Model",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: strict),
        .testTarget(name: "StackExampleTests", dependencies: ["Loading", "Origin", "StackExample"], swiftSettings: strict),
        .target(name: "StateJSON", dependencies: ["Client", "Model"], swiftSettings: strict),
        .testTarget(name: "StateJSONTests", dependencies: ["Client", "Model", "StateJSON", "TestSupport"], swiftSettings: strict),
        .target(name: "TestSupport", dependencies: ["Model"], swiftSettings: strict),
        .target(
            name: "Settings", dependencies: ["FeedSettings", "Model", .product(name: "Yams", package: "Yams")],
            swiftSettings: strict),
        .testTarget(name: "SettingsTests", dependencies: ["FeedSettings", "Model", "Settings", "TestSupport"], swiftSettings: strict),
        .testTarget(name: "TidyTests", dependencies: ["TestSupport"], swiftSettings: strict),
        .executableTarget(
            name: "Turns",
            dependencies: [
                "FrontCore", "Model", "Platform", "Wire", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Turns", swiftSettings: strict),
        .target(
            name: "Wire",
            dependencies: ["Model", "WireMessages", .product(name: "SwiftProtobuf", package: "swift-protobuf")],
            swiftSettings: strict),
        .target(
            name: "WireMessages", dependencies: [.product(name: "SwiftProtobuf", package: "swift-protobuf")],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .testTarget(name: "WireTests", dependencies: ["Model", "TestSupport", "Wire"], swiftSettings: strict),
        .target(
            name: "WorkerKit",
            dependencies: [
                "Model", "Platform", "Wire", "ZMQ", .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "WorkerKitTests",
            dependencies: [
                "Loaders", "Model", "Platform", "TestSupport", "Wire", "WorkerKit", "ZMQ", .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .target(name: "ZMQ", dependencies: ["CZMQ"], swiftSettings: strict),
        .testTarget(name: "ZMQTests", dependencies: ["Platform", "ZMQ"], swiftSettings: strict),
    ]
)
