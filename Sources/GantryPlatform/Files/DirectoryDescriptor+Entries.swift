//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CGantryPlatform

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
