//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CPlatform

/// An open file, pipe or socket that closes when it goes out of scope.
///
/// Every call repeats itself when a signal interrupts it. `path` serves the error texts only.
public struct OwnedDescriptor: ~Copyable, Sendable {
    /// The number; valid as long as this value lives.
    public let rawValue: Int32
    let path: String
    private var isOwned = true

    /// Takes over a descriptor that nobody else closes.
    /// - Parameter name: what errors call it.
    public init(adopting rawValue: Int32, name: String) {
        self.rawValue = rawValue
        path = name
    }

    /// Opens a file by its path, following links. Below a folder whose content others may change use `DirectoryDescriptor`.
    /// - Parameter mode: the permissions of a file that is made, before the process's mask.
    /// - Throws: `notFound`, `exists`, `permissionDenied`, `tooManyOpen` and whatever the file system has.
    public init(path: String, options: OpenOptions, mode: UInt32 = 0o640) throws(SystemError) {
        rawValue = try checked(unsafe gantry_open(path, options.flags, mode), "opening \(path)")
        self.path = path
    }

    /// Makes a file in memory that holds the bytes and goes with its last descriptor (`memfd_create`): what is passed to other processes so
    /// needs no room on a disk, and no reader changes it by its place.
    /// - Parameter name: what `/proc` shows.
    /// - Throws: `tooManyOpen`, `outOfMemory` and what the system has else.
    public static func inMemory(_ bytes: [UInt8], name: String) throws(SystemError) -> OwnedDescriptor {
        let file = OwnedDescriptor(adopting: try checked(unsafe gantry_memory_file(name), "making \(name) in memory"), name: name)
        try file.write(bytes, at: 0)
        return file
    }

    deinit {
        if isOwned { gantry_close(rawValue) }
    }

    /// Closes now and says whether the system had anything to complain about.
    /// - Throws: `deviceFailed` or `diskFull` where a file system reports late.
    public consuming func close() throws(SystemError) {
        isOwned = false
        try checked(gantry_close(rawValue), "closing \(path)")
    }

    /// Gives the number away; the caller closes it.
    public consuming func release() -> Int32 {
        isOwned = false
        return rawValue
    }

    /// Size, times, owner and kind.
    /// - Throws: the file system's error.
    public borrowing func status() throws(SystemError) -> FileStatus {
        var status = gantry_status()
        try checked(unsafe gantry_status(rawValue, &status), "looking at \(path)")
        return FileStatus(status)
    }

    /// Waits until there is something to read (or the other end is closed) or the time is over.
    /// - Returns: false when the time is over.
    /// - Throws: the system's error.
    public borrowing func waitReadable(upTo limit: Duration) throws(SystemError) -> Bool {
        try NumberedDescriptor.waitReadable(rawValue, upTo: limit)
    }
}
