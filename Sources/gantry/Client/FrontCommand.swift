//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A command that asks a front for something.
protocol FrontCommand: GantrySubcommand {
    /// Which front, how to print, how long.
    var options: FrontOptions { get }
}

extension FrontCommand {
    var printing: OutputOptions { options.printing }
}
