//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Names of loaders that the front itself asks for.
public enum LoaderName {
    /// Sorts, filters and edits the lists of feeds; every worker has it.
    public static let list = "list"
}
