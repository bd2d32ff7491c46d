//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Settings

/// `--config` and `--data`, for every command that needs the configuration.
struct PlaceOptions: ParsableArguments {
    @Option(name: .long, help: "The configuration file. Else GANTRY_CONFIG, ./gantry.yaml, ~/.config/gantry/, /etc/gantry/.")
    var config: String?

    @Option(name: .long, help: "The data folder. Else GANTRY_DATA, data: of the file, ~/.local/state/gantry.")
    var data: String?

    /// The effective configuration.
    ///
    /// - Parameters:
    ///   - tcp: Whether the front is to listen at 127.0.0.1:7701-7704 instead of sockets in the data folder.
    ///   - sampleOriginPort: Where the sample origin listens; nil: at its usual port.
    ///   - read: What was read already; nil: the file is looked for.
    func load(
        tcp: Bool = false, sampleOriginPort: Int? = nil, read: ConfigurationText? = nil, environment: Settings.Environment = .process
    ) throws(ConfigurationError) -> EffectiveConfiguration {
        var flags = EffectiveConfiguration.Flags(config: config, data: data, tcp: tcp)
        flags.read = read
        if let sampleOriginPort { flags.sampleOrigin = "127.0.0.1:\(sampleOriginPort)" }
        return try .load(flags: flags, environment: environment)
    }
}
