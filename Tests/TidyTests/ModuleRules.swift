//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Which module may import which. The order of the table is that of the layers, lowest first.
enum ModuleRules {
    /// Our modules, each with those of our modules that it may import.
    static let arrows: [String: Set<String>] = [
        "CZMQ": [],
        "CGantryOpenSSL": [],
        "CGantryPlatform": [],
        "CJournal": [],
        "GantryZMQ": ["CZMQ"],
        "GantryPlatform": ["CGantryOpenSSL", "CGantryPlatform"],
        "GantryPackedColumns": [],
        "GantryModel": ["GantryPackedColumns"],
        "GantryFeedSettings": ["GantryModel"],
        "Loading": [],
        "LoadingExample": ["Loading"],
        "GantryWireMessages": [],
        "GantryWire": ["GantryModel", "GantryWireMessages", "GantryPackedColumns"],
        "FrontCore": ["GantryModel", "GantryPackedColumns"],
        "Journal": ["CJournal", "GantryModel", "GantryPlatform"],
        "GantryFileCache": ["GantryModel", "GantryPlatform"],
        "GantryAuditRecord": ["GantryModel", "GantryPlatform"],
        "GantrySettings": ["GantryFeedSettings", "GantryModel"],
        "GantryWorker": [
            "GantryAuditRecord", "GantryModel", "GantryPlatform", "GantrySettings", "GantryWire", "GantryZMQ", "GantryPackedColumns",
        ],
        "GantryFeedLoaders": ["GantryFeedSettings", "GantryFileCache", "GantryModel", "GantryWire", "GantryWorker"],
        "FeedWorkerExample": ["GantryFeedLoaders", "GantryFileCache", "GantryModel", "GantryWorker"],
        "Loaders": ["GantryFeedLoaders", "GantryFeedSettings", "GantryFileCache", "GantryModel", "GantryPlatform", "GantryWorker"],
        "GantryClient": ["Loading", "GantryModel", "GantryPlatform", "GantrySettings", "GantryWire", "GantryZMQ", "GantryPackedColumns"],
        "JobExample": ["GantryClient", "GantryModel", "GantryWorker"],
        "StackExample": ["GantryClient", "Loading", "GantryModel"],
        "FrontService": ["GantryAuditRecord", "GantryFileCache", "FrontCore", "Journal", "GantryModel", "GantryPlatform", "GantryZMQ"],
        "SampleOrigin": ["GantryModel"],
        "StateFormatting": ["GantryClient", "GantryModel"],
        "GantryWorkerTesting": [
            "GantryFeedLoaders", "GantryFeedSettings", "GantryFileCache", "GantryModel", "GantryPlatform", "GantryWire", "GantryWorker",
        ],
        "WorkerExample": ["GantryClient", "GantryModel", "GantryWorker"],
        "Measuring": [
            "GantryClient", "GantryModel", "GantryPlatform", "GantryWire", "GantryZMQ", "SampleOrigin", "StateFormatting",
            "GantryPackedColumns",
        ],
        "gantry": [
            "GantryAuditRecord", "FrontCore", "FrontService", "GantryClient", "GantryFeedLoaders", "GantryFeedSettings", "GantryFileCache",
            "GantryModel",
            "GantryPlatform", "GantrySettings", "GantryWire", "GantryWorker", "Journal", "Loaders", "Loading", "Measuring", "SampleOrigin",
            "StateFormatting",
            "GantryPackedColumns",
        ],
    ]

    /// What stands under Tests and nothing shipped may import.
    private static let testModules: Set<String> = ["Simulation", "TestSupport"]

    static func isOurs(_ module: String) -> Bool { arrows[module] != nil || testModules.contains(module) }

    /// Targets that decide and never touch the world.
    static let pureTargets: Set<String> = ["FrontCore", "GantryModel", "Loading", "GantryPackedColumns"]

    private static let standardLibrary: Set<String> = ["Swift", "Observation", "RegexBuilder", "Synchronization"]
    private static let collections: Set<String> = ["BasicContainers", "ContainersPreview", "DequeModule", "HeapModule"]

    static func isPure(_ file: SourceFile) -> Bool {
        guard file.isSource, let target = file.target else { return false }
        return pureTargets.contains(target) || file.folders.dropFirst(2).contains("Core")
    }

    static func mayBeImportedByPureParts(_ module: String, in file: SourceFile) -> Bool {
        if standardLibrary.contains(module) { return true }
        // The loading library stands alone; its failures show the localized description that Foundation defines.
        if file.target == "Loading" { return module == "Foundation" || module == "FoundationEssentials" }
        // Remote feeds speak of states as the loading library does, which is pure itself.
        if file.target == "GantryClient", module == "Loading" { return true }
        return module == "GantryModel" || module == "GantryPackedColumns" || module.hasSuffix("Collections") || collections.contains(module)
    }
}
