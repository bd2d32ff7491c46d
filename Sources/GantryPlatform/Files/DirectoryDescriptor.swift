//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CGantryPlatform

/// An open folder. Names below it never lead out of it and never go through a symbolic link (`openat2`).
///
/// `openFile` and `openFolder` take a path of several parts; every other method takes one name without a slash.
package struct DirectoryDescriptor: ~Copyable, Sendable {
    /// The path it was opened by, for texts.
    package let path: String
    let descriptor: OwnedDescriptor

    init(adopting descriptor: consuming OwnedDescriptor, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    /// Opens a folder by its path, which may contain links.
    /// - Throws: `notFound`, `notAFolder`, `permissionDenied`.
    package init(path: String) throws(SystemError) {
        descriptor = try OwnedDescriptor(path: path, options: [.read, .folder])
        self.path = path
    }

    /// Makes a folder unless it is there, and opens it. The folder above must be there.
    /// - Throws: `notFound` for a missing folder above, `permissionDenied`, `readOnly`, `diskFull`.
    package init(creating path: String, mode: UInt32 = 0o750) throws(SystemError) {
        let code = unsafe gantry_make_directory(path, mode)
        if code != -SystemErrorCode.exists.rawValue { try checked(code, "making the folder \(path)") }
        try self.init(path: path)
    }

    /// Makes a folder and every missing folder above it, and opens it. What is made is on the disk when this returns, also after a power cut.
    /// Several processes may make the same folder at the same time.
    /// - Throws: `permissionDenied`, `readOnly`, `diskFull`, `notAFolder`.
    package init(creatingWithParents path: String, mode: UInt32 = 0o750) throws(SystemError) {
        var folders = path.indices.filter { path[$0] == "/" && $0 != path.startIndex }.map { String(path[..<$0]) }
        folders.append(path)
        for (index, folder) in folders.enumerated() {
            let code = unsafe gantry_make_directory(folder, mode)
            if code == -SystemErrorCode.exists.rawValue { continue }
            try checked(code, "making the folder \(folder)")
            try DirectoryDescriptor(path: folder).sync()
            // The name stands in the folder above, which has its own way to the disk.
            try DirectoryDescriptor(path: index > 0 ? folders[index - 1] : "/").sync()
        }
        try self.init(path: path)
    }

    /// Makes a folder of this user alone (0700), with every missing folder above it, and opens it.
    ///
    /// One that is there must be this user's, and nobody else may write into it: whoever can replace what lies in it could have this process
    /// work with their data.
    /// - Parameter tightens: whether to take all rights from others where they have some.
    /// - Throws: `notPermitted` for a folder of another user or one that others may write, else as `init(creatingWithParents:)`.
    package init(ownedAt path: String, tightens: Bool = true) throws(SystemError) {
        let folder = try DirectoryDescriptor(creatingWithParents: path, mode: 0o700)
        try folder.own(tightens: tightens)
        self = folder
    }

    /// Refuses a folder that `init(ownedAt:tightens:)` would refuse; changes nothing.
    /// - Throws: `notPermitted` for a folder of another user or one that others may write.
    package borrowing func checkOwned(mayBeTightened: Bool) throws(SystemError) {
        let status = try status()
        guard status.ownerID == ProcessControl.userID else {
            throw SystemError(
                code: .notPermitted,
                context: "\(path) belongs to user \(status.ownerID), and this process runs as user \(ProcessControl.userID)")
        }
        guard mayBeTightened || status.permissions & 0o022 == 0 else {
            throw SystemError(
                code: .notPermitted, context: "others may write \(path)", nextStep: "run chmod go-w \(path)")
        }
    }

    /// Opens a file below the folder.
    /// - Parameter mode: the permissions of a file that is made, before the process's mask.
    /// - Throws: `leavesFolder` for `..` or an absolute path, `symbolicLink`, `notFound`, `exists`.
    package borrowing func openFile(
        _ relativePath: String, options: OpenOptions, mode: UInt32 = 0o640
    ) throws(SystemError) -> OwnedDescriptor {
        let full = "\(path)/\(relativePath)"
        guard !relativePath.utf8.contains(0) else {
            throw SystemError(code: .invalidArgument, context: "opening \(full): a name must not contain a zero byte")
        }
        let number = unsafe gantry_open_beneath(descriptor.rawValue, relativePath, options.flags, mode)
        return OwnedDescriptor(adopting: try checked(number, "opening \(full)"), name: full)
    }

    /// Makes a new file and opens it for reading and writing.
    /// - Throws: `exists`, `diskFull`, `permissionDenied`, `invalidArgument` for a name with a slash.
    package borrowing func createExclusive(_ name: String, mode: UInt32 = 0o640) throws(SystemError) -> OwnedDescriptor {
        try check(name)
        return try openFile(name, options: [.read, .write, .create, .exclusive], mode: mode)
    }

    /// Opens a folder below this one.
    /// - Throws: `leavesFolder`, `symbolicLink`, `notFound`, `notAFolder`.
    package borrowing func openFolder(_ relativePath: String) throws(SystemError) -> DirectoryDescriptor {
        let opened = try openFile(relativePath, options: [.read, .folder])
        return DirectoryDescriptor(adopting: opened, path: "\(path)/\(relativePath)")
    }

    /// Makes a folder.
    /// - Throws: `exists`, `diskFull`, `permissionDenied`.
    package borrowing func makeFolder(_ name: String, mode: UInt32 = 0o750) throws(SystemError) {
        try check(name)
        try checked(unsafe gantry_make_directory_at(descriptor.rawValue, name, mode), "making the folder \(path)/\(name)")
    }

    /// Refuses everything that is not one plain name.
    borrowing func check(_ name: String) throws(SystemError) {
        let isPlain = !name.isEmpty && name != "." && name != ".." && !name.utf8.contains(0) && !name.utf8.contains(0x2F)
        guard isPlain else {
            throw SystemError(
                code: .invalidArgument, context: "\"\(name)\" in \(path): give one plain name without a slash or dots")
        }
    }
}

/// Whether an open folder is what its path leads to.
package enum FolderPlace: Hashable, Sendable {
    /// It is.
    case here
    /// Another folder has the path by now: a copy that was put back, a new one, another file system that was mounted there.
    case replaced
    /// Nothing has the path, or what has it is no folder.
    case away
}

extension DirectoryDescriptor {
    /// Opens a folder of this user alone that must be there, by the rules of `init(ownedAt:tightens:)`.
    /// - Throws: `notFound`, `notAFolder`, `notPermitted`.
    package init(existingOwnedAt path: String) throws(SystemError) {
        let folder = try DirectoryDescriptor(path: path)
        try folder.own(tightens: true)
        self = folder
    }

    /// Whether the path that it was opened by leads to this folder still.
    ///
    /// An open folder stays usable when it is moved or removed, and then nobody else sees what happens in it.
    /// - Throws: the file system's error.
    package borrowing func place() throws(SystemError) -> FolderPlace {
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

extension DirectoryDescriptor {
    /// Gives a file another name, replacing what has it, in one step that a crash cannot split.
    /// - Throws: `notFound`, `diskFull`, `permissionDenied`.
    package borrowing func rename(_ name: String, to newName: String) throws(SystemError) {
        try move(name, to: newName, in: self, mustBeNew: false)
    }

    /// Gives a file another name unless that name is taken.
    /// - Throws: `exists` when it is, `notFound`, `diskFull`, `permissionDenied`.
    package borrowing func renameIfNew(_ name: String, to newName: String) throws(SystemError) {
        try move(name, to: newName, in: self, mustBeNew: true)
    }

    /// Moves a file into another folder of the same file system, replacing what has that name there.
    /// - Throws: `leavesFolder` across file systems, `notFound`, `diskFull`, `permissionDenied`.
    package borrowing func rename(
        _ name: String, to newName: String, in other: borrowing DirectoryDescriptor
    ) throws(SystemError) {
        try move(name, to: newName, in: other, mustBeNew: false)
    }

    /// Moves a file into another folder of the same file system unless its new name is taken there.
    /// - Throws: `exists` when it is, `leavesFolder` across file systems, `notFound`, `diskFull`, `permissionDenied`.
    package borrowing func renameIfNew(
        _ name: String, to newName: String, in other: borrowing DirectoryDescriptor
    ) throws(SystemError) {
        try move(name, to: newName, in: other, mustBeNew: true)
    }

    /// Removes a file.
    /// - Throws: `notFound`, `permissionDenied`.
    package borrowing func unlink(_ name: String) throws(SystemError) {
        try check(name)
        try checked(unsafe gantry_unlink(descriptor.rawValue, name), "removing \(path)/\(name)")
    }

    /// Removes a folder that is empty.
    /// - Throws: `notFound`, `notAFolder`, `permissionDenied`, and the system's error for one that is not empty.
    package borrowing func removeFolder(_ name: String) throws(SystemError) {
        try check(name)
        try checked(unsafe gantry_remove_directory_at(descriptor.rawValue, name), "removing \(path)/\(name)")
    }

    /// Size, times, owner and kind of a name; links are not followed.
    /// - Returns: nil if nothing has that name.
    /// - Throws: the file system's error.
    package borrowing func status(of name: String) throws(SystemError) -> FileStatus? {
        try check(name)
        var status = gantry_status()
        let code = unsafe gantry_status_at(descriptor.rawValue, name, &status)
        if code == -SystemErrorCode.notFound.rawValue { return nil }
        try checked(code, "looking at \(path)/\(name)")
        return FileStatus(status)
    }

    /// Sets a file's time to now; links are not followed.
    /// - Throws: `notFound`, `permissionDenied`.
    package borrowing func touch(_ name: String) throws(SystemError) {
        try check(name)
        try checked(unsafe gantry_touch(descriptor.rawValue, name), "setting the time of \(path)/\(name)")
    }

    /// The names in the folder, sorted, without "." and "..".
    /// - Throws: the file system's error.
    /// - Complexity: O(n log n), all names in memory.
    package borrowing func list() throws(SystemError) -> [String] {
        var listing: Int64 = 0
        try checked(unsafe gantry_list_open(descriptor.rawValue, &listing), "listing \(path)")
        defer { gantry_list_close(listing) }
        var names: [String] = []
        var name = [CChar](repeating: 0, count: 256)
        while try checked(unsafe gantry_list_next(listing, &name), "listing \(path)") > 0 {
            names.append(String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
        }
        return names.sorted()
    }

    /// Waits until new, moved and removed names are on the disk.
    /// - Throws: `deviceFailed`, `diskFull`.
    package borrowing func sync() throws(SystemError) {
        try descriptor.sync()
    }

    /// Size, times, owner and kind of the folder itself.
    /// - Throws: the file system's error.
    package borrowing func status() throws(SystemError) -> FileStatus {
        try descriptor.status()
    }

    private borrowing func move(
        _ name: String, to newName: String, in other: borrowing DirectoryDescriptor, mustBeNew: Bool
    ) throws(SystemError) {
        try check(name)
        try other.check(newName)
        let code = unsafe gantry_rename(
            descriptor.rawValue, name, other.descriptor.rawValue, newName, mustBeNew ? 1 : 0)
        // NFS and many FUSE file systems cannot rename without replacing.
        if mustBeNew, code == -SystemErrorCode.invalidArgument.rawValue { return try moveByLink(name, to: newName, in: other) }
        try checked(code, "renaming \(path)/\(name) to \(other.path)/\(newName)")
    }

    /// Moves a file unless its new name is taken, where the file system cannot rename without replacing: for a moment the file has both names.
    /// - Throws: `exists` when it is, `notFound`, `notPermitted` where the file system has no second names either.
    borrowing func moveByLink(_ name: String, to newName: String, in other: borrowing DirectoryDescriptor) throws(SystemError) {
        let code = unsafe gantry_rename_by_link(descriptor.rawValue, name, other.descriptor.rawValue, newName)
        try checked(code, "giving \(path)/\(name) the name \(other.path)/\(newName)")
    }
}
