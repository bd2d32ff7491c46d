//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A command that asks a front for something.
protocol FrontCommand: GantrySubcommand, PlacedCommand {
    /// Which front, how to print, how long.
    var options: FrontOptions { get }
}

extension FrontCommand {
    var printing: OutputOptions { options.printing }
    var places: PlaceOptions { options.connection.places }
}
