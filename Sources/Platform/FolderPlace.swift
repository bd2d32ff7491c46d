//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Whether an open folder is what its path leads to.
public enum FolderPlace: Hashable, Sendable {
    /// It is.
    case here
    /// Another folder has the path by now: a copy that was put back, a new one, another file system that was mounted there.
    case replaced
    /// Nothing has the path, or what has it is no folder.
    case away
}
