//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CPlatform

/// What the file system says about a file.
public struct FileStatus: Hashable, Sendable {
    /// The size in bytes.
    public let byteCount: Int64
    /// The last change of the content in nanoseconds since 1970-01-01 UTC.
    public let modifiedNanoseconds: Int64
    /// The number that names its file system.
    public let device: UInt64
    /// The number that names the file within its file system.
    public let inode: UInt64
    /// How many names it has; 0 after the last one was removed while it is open.
    public let linkCount: UInt64
    /// Who owns it.
    public let ownerID: UInt32
    /// The permission bits, as in 0o750.
    public let permissions: UInt32
    /// What kind of thing it is.
    public let kind: FileKind

    init(_ status: gantry_status) {
        byteCount = status.byte_count
        modifiedNanoseconds = status.modified_nanoseconds
        device = status.device
        inode = status.inode
        linkCount = status.link_count
        ownerID = status.owner
        permissions = status.mode & 0o7777
        kind = FileKind(mode: status.mode)
    }
}
