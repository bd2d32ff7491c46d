//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Settings

/// `--connect`, `--config` and `--data`, for every command that talks to a front.
struct ConnectOptions: ParsableArguments {
    @Option(name: .long, help: "The front: its data folder, or tcp://127.0.0.1:7701. Else --data, GANTRY_URL or the data folder.")
    var connect: String?

    @OptionGroup var places: PlaceOptions

    /// The front to talk to. The file is not read when `--connect`, `--data`, GANTRY_URL or GANTRY_DATA says enough.
    func place() throws(ConfigurationError) -> FrontPlace {
        try .find(connect: connect, data: places.data, config: places.config)
    }
}
