//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What a name in a folder stands for.
public enum FileKind: Hashable, Sendable {
    /// A regular file.
    case file
    /// A folder.
    case folder
    /// A symbolic link.
    case symbolicLink
    /// A socket, pipe or device.
    case other

    init(mode: UInt32) {
        switch mode & 0o170000 {
        case 0o100000: self = .file
        case 0o040000: self = .folder
        case 0o120000: self = .symbolicLink
        default: self = .other
        }
    }
}
