//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CPlatform

extension DirectoryDescriptor {
    /// Opens a folder of this user alone that must be there, by the rules of `init(ownedAt:tightens:)`.
    /// - Throws: `notFound`, `notAFolder`, `notPermitted`.
    public init(existingOwnedAt path: String) throws(SystemError) {
        let folder = try DirectoryDescriptor(path: path)
        try folder.own(tightens: true)
        self = folder
    }

    /// Whether the path that it was opened by leads to this folder still.
    ///
    /// An open folder stays usable when it is moved or removed, and then nobody else sees what happens in it.
    /// - Throws: the file system's error.
    public borrowing func place() throws(SystemError) -> FolderPlace {
        var found = gantry_status()
        let code = unsafe gantry_status_of_path(path, &found)
        if code == -SystemErrorCode.notFound.rawValue || code == -SystemErrorCode.notAFolder.rawValue { return .away }
        try checked(code, "looking at \(path)")
        let (named, mine) = (FileStatus(found), try status())
        guard named.kind == .folder else { return .away }
        return named.device == mine.device && named.inode == mine.inode ? .here : .replaced
    }

    /// Refuses a folder of another user or one that others may write; takes all rights from others where it may.
    borrowing func own(tightens: Bool) throws(SystemError) {
        try checkOwned(mayBeTightened: tightens)
        guard tightens, try status().permissions & 0o077 != 0 else { return }
        try checked(gantry_set_mode(descriptor.rawValue, 0o700), "taking the rights of others from \(path)")
    }
}
