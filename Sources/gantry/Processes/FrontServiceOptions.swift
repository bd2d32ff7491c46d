//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantrySettings

/// What decides where a front works and how: the command has it, and whoever reads the command line of a front that runs.
struct FrontServiceOptions: ParsableArguments {
    @OptionGroup var places: PlaceOptions
    @Flag(name: .long, help: "Listen at 127.0.0.1:7701-7704 instead of sockets in the data folder.")
    var tcp = false
    @Option(name: .long, help: "full: accepted jobs survive a power cut and the end of the front. memory: neither.")
    var durability = DurabilityOption.full
    @Option(name: .long, help: .hidden)
    var sampleOriginPort: Int?

    /// The effective configuration.
    /// - Parameter read: What was read already; nil: the file is looked for.
    func load(read: ConfigurationText?, environment: GantrySettings.Environment = .process) throws(ConfigurationError)
        -> EffectiveConfiguration
    {
        try places.load(tcp: tcp, sampleOriginPort: sampleOriginPort, read: read, environment: environment)
    }
}

/// The value of `--durability`.
enum DurabilityOption: String, ExpressibleByArgument, CaseIterable {
    case full, memory
}
