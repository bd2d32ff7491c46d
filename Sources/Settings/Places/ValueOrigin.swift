//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Where a value comes from: a flag wins over the environment, that over the file, that over the default.
public enum ValueOrigin: String, Hashable, Sendable {
    /// An option of the command line.
    case flag
    /// A variable of the environment.
    case environment
    /// The configuration file.
    case file
    /// Nobody said anything.
    case builtIn = "default"
}
