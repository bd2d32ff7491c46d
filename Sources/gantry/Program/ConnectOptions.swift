//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Settings

/// `--connect`, `--config` and `--data`, for every command that talks to a front.
struct ConnectOptions: ParsableArguments {
    @Option(name: .long, help: "The front: its data folder, or tcp://127.0.0.1:7701. Else GANTRY_URL, else the data folder.")
    var connect: String?

    @OptionGroup var places: PlaceOptions

    /// The addresses of the front to talk to. The file is not read when `--connect`, GANTRY_URL, `--data` or GANTRY_DATA says enough.
    func endpoints() throws(ConfigurationError) -> Endpoints {
        let environment = Settings.Environment.process
        let isNamed = connect != nil || environment.value("GANTRY_URL") != nil
        if isNamed || places.data != nil || environment.value("GANTRY_DATA") != nil {
            let data = DataFolder(flag: places.data, file: nil, fileFolder: nil, environment: environment)
            return try ConnectionTarget.endpoints(connect: connect, data: data, environment: environment)
        }
        return try ConnectionTarget.endpoints(connect: nil, data: places.load().data, environment: environment)
    }
}
