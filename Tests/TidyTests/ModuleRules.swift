//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Which module may import which. The order of the table is that of the layers, lowest first.
enum ModuleRules {
    /// Our modules, each with those of our modules that it may import.
    static let arrows: [String: Set<String>] = [
        "CZMQ": [],
        "COpenSSL": [],
        "CPlatform": [],
        "CJournal": [],
        "ZMQ": ["CZMQ"],
        "Platform": ["COpenSSL", "CPlatform"],
        "Model": [],
        "FeedSettings": [],
        "Loading": [],
        "LoadingExample": ["Loading"],
        "WireMessages": [],
        "Wire": ["Model", "WireMessages"],
        "FrontCore": ["Model"],
        "Journal": ["CJournal", "Model", "Platform"],
        "FileCache": ["Model", "Platform"],
        "WorkerKit": ["Model", "Platform", "Wire", "ZMQ"],
        "Loaders": ["FeedSettings", "FileCache", "Model", "Platform", "WorkerKit"],
        "Client": ["Loading", "Model", "Platform", "Settings", "Wire", "ZMQ"],
        "StackExample": ["Client", "Loading", "Model"],
        "FrontService": ["FileCache", "FrontCore", "Journal", "Model", "Platform", "ZMQ"],
        "Origin": ["Model"],
        "Settings": ["FeedSettings", "Model"],
        "StateJSON": ["Client", "Model"],
        "TestSupport": ["Model"],
        "Simulation": ["Client", "FrontCore", "Journal", "Model", "Wire", "WorkerKit"],
        "Simulate": ["FrontCore", "Platform", "Simulation"],
        "gantry": [
            "Client", "FeedSettings", "FileCache", "FrontCore", "FrontService", "Journal", "Loaders", "Loading",
            "Model", "Origin", "Platform", "Settings", "StateJSON", "Wire", "WorkerKit", "ZMQ",
        ],
    ]

    /// Targets that decide and never touch the world.
    static let pureTargets: Set<String> = ["Model", "FrontCore", "Loading"]

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
        if file.target == "Client", module == "Loading" { return true }
        return module == "Model" || module.hasSuffix("Collections") || collections.contains(module)
    }
}
