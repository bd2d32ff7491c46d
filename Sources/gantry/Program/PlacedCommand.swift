//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Model

/// A command that reads the configuration and has a data folder: advice to run `gantry doctor` names the same place.
protocol PlacedCommand: ParsableCommand {
    /// `--config` and `--data`.
    var places: PlaceOptions { get }
}

extension PlaceOptions {
    /// The options that were given, as they are typed.
    var words: [String] {
        let given = [("--config", config), ("--data", data)]
        return given.flatMap { option, value in value.map { [option, ShellWord.of($0)] } ?? [] }
    }
}

extension CommandFailure {
    /// The failure of a command; where it advises doctor, doctor looks where the command looked, and a command of a client asks the same front.
    func advising(for command: any ParsableCommand) -> CommandFailure {
        guard let places = (command as? any PlacedCommand)?.places else { return self }
        var failure = self
        failure.doctor? += places.words
        if let connection = (command as? any FrontCommand)?.options.connection { failure.place(connection.words) }
        return failure
    }
}
