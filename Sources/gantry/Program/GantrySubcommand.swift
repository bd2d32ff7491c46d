//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser

/// A command that prints, so that its failure is printed in the same form.
protocol GantrySubcommand: AsyncParsableCommand {
    /// `--output` and `--quiet`.
    var printing: OutputOptions { get }
}
