//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CPlatform

/// An open folder. Names below it never lead out of it and never go through a symbolic link (`openat2`).
///
/// `openFile` and `openFolder` take a path of several parts; every other method takes one name without a slash.
public struct DirectoryDescriptor: ~Copyable, Sendable {
    /// The path it was opened by, for texts.
    public let path: String
    let descriptor: OwnedDescriptor

    init(adopting descriptor: consuming OwnedDescriptor, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    /// Opens a folder by its path, which may contain links.
    /// - Throws: `notFound`, `notAFolder`, `permissionDenied`.
    public init(path: String) throws(SystemError) {
        descriptor = try OwnedDescriptor(path: path, options: [.read, .folder])
        self.path = path
    }

    /// Makes a folder unless it is there, and opens it. The folder above must be there.
    /// - Throws: `notFound` for a missing folder above, `permissionDenied`, `readOnly`, `diskFull`.
    public init(creating path: String, mode: UInt32 = 0o750) throws(SystemError) {
        let code = unsafe gantry_make_directory(path, mode)
        if code != -SystemErrorCode.exists.rawValue { try checked(code, "making the folder \(path)") }
        try self.init(path: path)
    }

    /// Makes a folder and every missing folder above it, and opens it.
    /// - Throws: `permissionDenied`, `readOnly`, `diskFull`, `notAFolder`.
    public init(creatingWithParents path: String, mode: UInt32 = 0o750) throws(SystemError) {
        for (index, character) in zip(path.indices, path) where character == "/" && index != path.startIndex {
            let above = String(path[..<index])
            let code = unsafe gantry_make_directory(above, mode)
            if code != -SystemErrorCode.exists.rawValue { try checked(code, "making the folder \(above)") }
        }
        try self.init(creating: path, mode: mode)
    }

    /// Opens a file below the folder.
    /// - Parameter mode: the permissions of a file that is made, before the process's mask.
    /// - Throws: `leavesFolder` for `..` or an absolute path, `symbolicLink`, `notFound`, `exists`.
    public borrowing func openFile(
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
    public borrowing func createExclusive(_ name: String, mode: UInt32 = 0o640) throws(SystemError) -> OwnedDescriptor {
        try check(name)
        return try openFile(name, options: [.read, .write, .create, .exclusive], mode: mode)
    }

    /// Opens a folder below this one.
    /// - Throws: `leavesFolder`, `symbolicLink`, `notFound`, `notAFolder`.
    public borrowing func openFolder(_ relativePath: String) throws(SystemError) -> DirectoryDescriptor {
        let opened = try openFile(relativePath, options: [.read, .folder])
        return DirectoryDescriptor(adopting: opened, path: "\(path)/\(relativePath)")
    }

    /// Makes a folder.
    /// - Throws: `exists`, `diskFull`, `permissionDenied`.
    public borrowing func makeFolder(_ name: String, mode: UInt32 = 0o750) throws(SystemError) {
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
