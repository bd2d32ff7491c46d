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
        .library(name: "GantryClient", targets: ["GantryClient", "GantryModel", "Loading"]),
        .library(name: "GantryWorker", targets: ["GantryWorker", "GantryFeedLoaders", "GantryFileCache", "GantryModel"]),
        .library(
            name: "GantryWorkerTesting",
            targets: ["GantryWorkerTesting", "GantryFeedLoaders", "GantryModel", "GantryWorker"]),
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
            name: "AllocationProbe", dependencies: ["CAllocations", "FrontCore", "GantryModel", "GantryWire", "GantryPackedColumns"],
            path: "Tests/AllocationProbe",
            swiftSettings: strict),
        .target(name: "GantryAuditRecord", dependencies: ["GantryModel", "GantryPlatform"], swiftSettings: strict),
        .testTarget(
            name: "GantryAuditRecordTests", dependencies: ["GantryAuditRecord", "GantryModel", "GantryPlatform", "TestSupport"],
            swiftSettings: strict),
        .target(name: "CAllocations", path: "Tests/CAllocations"),
        .target(name: "CJournal", linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(name: "CGantryPlatform"),
        .target(name: "CPowerCut", path: "Tests/CPowerCut", linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(name: "CQuota", path: "Tests/CQuota", linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(name: "CWrongClock", path: "Tests/CWrongClock"),
        .executableTarget(
            name: "CacheProbe", dependencies: ["GantryFileCache", "GantryModel"], path: "Tests/CacheProbe", swiftSettings: strict),
        .executableTarget(
            name: "ChaosWorker",
            dependencies: [
                "Loaders", "GantryModel", "GantryPlatform", "GantryWorker", .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            path: "Tests/ChaosWorker", swiftSettings: strict),
        .target(
            name: "GantryClient",
            dependencies: [
                "Loading", "GantryModel", "GantryPlatform", "GantrySettings", "GantryWire", "GantryZMQ", "GantryPackedColumns",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "GantryClientTests",
            dependencies: [
                "GantryClient", "Loading", "GantryModel", "GantryPlatform", "GantrySettings", "GantryPackedColumns", "TestSupport",
                "GantryWire",
                "GantryZMQ",
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "FeedWorkerExample", dependencies: ["GantryFeedLoaders", "GantryFileCache", "GantryModel", "GantryWorker"],
            path: "Sources/Examples/FeedWorkerExample", swiftSettings: strict),
        .systemLibrary(name: "CGantryOpenSSL", path: "Sources/CGantryOpenSSL", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CZMQ", path: "Sources/CZMQ", providers: [.apt(["libzmq3-dev"])]),
        .target(
            name: "GantryFeedLoaders",
            dependencies: ["GantryFeedSettings", "GantryFileCache", "GantryModel", "GantryWire", "GantryWorker"],
            swiftSettings: strict),
        .target(name: "GantryFeedSettings", dependencies: ["GantryModel"], swiftSettings: strict),
        .testTarget(name: "GantryFeedSettingsTests", dependencies: ["GantryFeedSettings", "GantryModel"], swiftSettings: strict),
        .target(
            name: "GantryFileCache",
            dependencies: ["GantryModel", "GantryPlatform"],
            swiftSettings: strict),
        .testTarget(
            name: "GantryFileCacheTests",
            dependencies: [
                "CacheProbe", "GantryFileCache", "GantryModel", "GantryPlatform", "TestSupport",
            ],
            swiftSettings: strict),
        .target(
            name: "FrontCore",
            dependencies: [
                "GantryModel", "GantryPackedColumns", .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
            ], swiftSettings: strict),
        .testTarget(
            name: "FrontCoreTests",
            dependencies: [
                "FrontCore", "GantryModel", "GantryPackedColumns", "TestSupport", "GantryWire",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
            ], swiftSettings: strict),
        .executableTarget(
            name: "gantry",
            dependencies: [
                "GantryAuditRecord", "FrontCore", "FrontService", "GantryClient", "GantryFeedLoaders", "GantryFeedSettings",
                "GantryFileCache",
                "GantryModel",
                "GantryPlatform", "GantrySettings", "GantryWire", "GantryWorker", "Journal", "Loaders", "Loading", "Measuring",
                "GantryPackedColumns",
                "SampleOrigin", "StateFormatting",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "GantryTests",
            dependencies: [
                "GantryAuditRecord", "GantryClient", "FrontCore", "FrontService", "Journal", "GantryModel", "GantryPlatform",
                "GantrySettings",
                "Measuring", "StateFormatting", "TestSupport", "GantryWire",
                "gantry", .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .target(
            name: "FrontService",
            dependencies: [
                "GantryAuditRecord", "GantryFileCache", "FrontCore", "Journal", "GantryModel", "GantryPlatform", "GantryZMQ",
                .product(name: "DequeModule", package: "swift-collections"),
            ], swiftSettings: strict),
        .testTarget(
            name: "FrontServiceTests",
            dependencies: [
                "GantryFileCache", "FrontCore", "FrontService", "Journal", "GantryModel", "GantryPlatform", "Simulation", "TestSupport",
                "GantryWire", "GantryZMQ",
            ],
            swiftSettings: strict),
        .target(
            name: "Journal", dependencies: ["CJournal", "GantryModel", "GantryPlatform", .product(name: "GRDB", package: "GRDB.swift")],
            swiftSettings: strict),
        .executableTarget(
            name: "JournalProbe", dependencies: ["CQuota", "Journal", "GantryModel"], path: "Tests/JournalProbe", swiftSettings: strict),
        .testTarget(
            name: "JournalTests",
            dependencies: [
                "Journal", "JournalProbe", "GantryModel", "GantryPlatform", "TestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: strict),
        .target(
            name: "Loaders",
            dependencies: [
                "GantryFeedLoaders", "GantryFeedSettings", "GantryFileCache", "GantryModel", "GantryPlatform", "GantryWorker",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "LoadersTests",
            dependencies: [
                "GantryFeedLoaders", "GantryFeedSettings", "GantryFileCache", "Loaders", "GantryModel", "TestSupport", "GantryWorker",
                "GantryWorkerTesting",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict),
        .target(name: "Loading", swiftSettings: strict),
        .executableTarget(
            name: "JobExample", dependencies: ["GantryClient", "GantryModel", "GantryWorker"], path: "Sources/Examples/JobExample",
            swiftSettings: strict),
        .executableTarget(
            name: "LoadingExample", dependencies: ["Loading"], path: "Sources/Examples/LoadingExample",
            swiftSettings: strict),
        .testTarget(
            name: "LoadingTests", dependencies: ["GantryModel", "Loading", "LoadingExample", "TestSupport"],
            swiftSettings: strict),
        .target(name: "GantryModel", dependencies: ["GantryPackedColumns"], swiftSettings: strict),
        .testTarget(name: "GantryModelTests", dependencies: ["GantryModel", "TestSupport"], swiftSettings: strict),
        .target(
            name: "SampleOrigin",
            dependencies: [
                "GantryModel",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOFoundationCompat", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SampleOriginTests",
            dependencies: [
                "GantryModel", "SampleOrigin",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOFoundationCompat", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .target(name: "GantryPlatform", dependencies: ["CGantryOpenSSL", "CGantryPlatform"], swiftSettings: strict),
        .target(
            name: "Measuring",
            dependencies: [
                "GantryClient", "GantryModel", "GantryPlatform", "GantryWire", "GantryZMQ", "GantryPackedColumns", "SampleOrigin",
                "StateFormatting",
            ],
            path: "Benchmarks/Measuring", swiftSettings: strict),
        .target(name: "GantryPackedColumns", swiftSettings: strict),
        .testTarget(name: "GantryPackedColumnsTests", dependencies: ["GantryModel", "GantryPackedColumns"], swiftSettings: strict),
        .executableTarget(
            name: "PlatformProbe", dependencies: ["CWrongClock", "GantryPlatform"], path: "Tests/PlatformProbe", swiftSettings: strict),
        .testTarget(name: "GantryPlatformTests", dependencies: ["GantryPlatform", "PlatformProbe", "TestSupport"], swiftSettings: strict),
        .executableTarget(
            name: "PowerCutProbe", dependencies: ["CPowerCut", "Journal", "GantryModel"], path: "Tests/PowerCutProbe",
            swiftSettings: strict),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "ChaosWorker", "FeedWorkerExample", "GantryClient", "GantryModel", "GantryPlatform", "GantrySettings", "GantryWire",
                "GantryZMQ",
                "JobExample", "LoadingExample", "StackExample", "TestSupport", "WorkerExample", "gantry",
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
            dependencies: [
                "FrontCore", "GantryPlatform", "Simulation", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], path: "Tests/Simulate",
            swiftSettings: strict),
        .target(
            name: "Simulation",
            dependencies: [
                "GantryAuditRecord", "GantryClient", "FrontCore", "Journal", "GantryModel", "GantryWire", "GantryWorker",
                "GantryPackedColumns",
                .product(name: "DequeModule", package: "swift-collections"), .product(name: "HeapModule", package: "swift-collections"),
            ], path: "Tests/Simulation",
            swiftSettings: strict),
        .testTarget(
            name: "SimulationTests",
            dependencies: ["FrontCore", "GantryModel", "GantryWire", "GantryPackedColumns", "Simulation", "TestSupport"],
            swiftSettings: strict),
        .executableTarget(
            name: "StackExample",
            dependencies: [
                "GantryClient", "Loading", "GantryModel",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ], path: "Sources/Examples/StackExample",
            swiftSettings: strict),
        .testTarget(name: "StackExampleTests", dependencies: ["Loading", "SampleOrigin", "StackExample"], swiftSettings: strict),
        .target(name: "StateFormatting", dependencies: ["GantryClient", "GantryModel"], swiftSettings: strict),
        .testTarget(
            name: "StateFormattingTests", dependencies: ["GantryClient", "GantryModel", "StateFormatting", "TestSupport"],
            swiftSettings: strict),
        .target(
            name: "TestSupport", dependencies: ["GantryModel", "GantryPlatform"], path: "Tests/TestSupport",
            swiftSettings: strict),
        .target(
            name: "GantrySettings", dependencies: ["GantryFeedSettings", "GantryModel", .product(name: "Yams", package: "Yams")],
            swiftSettings: strict),
        .testTarget(
            name: "GantrySettingsTests", dependencies: ["GantryFeedSettings", "GantryModel", "GantrySettings", "TestSupport"],
            swiftSettings: strict),
        .testTarget(name: "TidyTests", dependencies: ["TestSupport"], swiftSettings: strict),
        .executableTarget(
            name: "Turns",
            dependencies: [
                "FrontCore", "GantryModel", "GantryPlatform", "GantryWire", "GantryPackedColumns",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Turns", swiftSettings: strict),
        .target(
            name: "GantryWire",
            dependencies: [
                "GantryModel", "GantryWireMessages", "GantryPackedColumns", .product(name: "SwiftProtobuf", package: "swift-protobuf"),
            ],
            swiftSettings: strict),
        .target(
            name: "GantryWireMessages", dependencies: [.product(name: "SwiftProtobuf", package: "swift-protobuf")],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .testTarget(
            name: "GantryWireTests", dependencies: ["GantryModel", "GantryPackedColumns", "TestSupport", "GantryWire"],
            swiftSettings: strict),
        .target(
            name: "GantryWorker",
            dependencies: [
                "GantryAuditRecord", "GantryModel", "GantryPlatform", "GantrySettings", "GantryWire", "GantryZMQ", "GantryPackedColumns",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "GantryWorkerTests",
            dependencies: [
                "GantryAuditRecord", "Loaders", "GantryModel", "GantryPlatform", "GantryPackedColumns", "TestSupport", "GantryWire",
                "GantryWorker",
                "GantryZMQ",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .target(
            name: "GantryWorkerTesting",
            dependencies: [
                "GantryFeedLoaders", "GantryFeedSettings", "GantryFileCache", "GantryModel", "GantryPlatform", "GantryWire", "GantryWorker",
            ], swiftSettings: strict),
        .testTarget(
            name: "GantryWorkerTestingTests",
            dependencies: [
                "FeedWorkerExample", "GantryFeedLoaders", "GantryModel", "GantryWorker", "GantryWorkerTesting", "TestSupport",
                "WorkerExample",
            ], swiftSettings: strict),
        .executableTarget(
            name: "WorkerExample",
            dependencies: [
                "GantryClient", "GantryModel", "GantryWorker", .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            path: "Sources/Examples/WorkerExample", swiftSettings: strict),
        .target(name: "GantryZMQ", dependencies: ["CZMQ"], swiftSettings: strict),
        .testTarget(name: "GantryZMQTests", dependencies: ["GantryPlatform", "GantryZMQ", "TestSupport"], swiftSettings: strict),
    ]
)
