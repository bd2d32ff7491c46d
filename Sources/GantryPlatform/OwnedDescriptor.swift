//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CGantryPlatform
internal import Glibc

/// An open file, pipe or socket that closes when it goes out of scope.
///
/// Every call repeats itself when a signal interrupts it. `path` serves the error texts only.
package struct OwnedDescriptor: ~Copyable, Sendable {
    /// The number; valid as long as this value lives.
    package let rawValue: Int32
    let path: String
    private var isOwned = true

    /// Takes over a descriptor that nobody else closes.
    /// - Parameter name: what errors call it.
    package init(adopting rawValue: Int32, name: String) {
        self.rawValue = rawValue
        path = name
    }

    /// Opens a file by its path, following links. Below a folder whose content others may change use `DirectoryDescriptor`.
    /// - Parameter mode: the permissions of a file that is made, before the process's mask.
    /// - Throws: `notFound`, `exists`, `permissionDenied`, `tooManyOpen` and whatever the file system has.
    package init(path: String, options: OpenOptions, mode: UInt32 = 0o640) throws(SystemError) {
        rawValue = try checked(unsafe gantry_open(path, options.flags, mode), "opening \(path)")
        self.path = path
    }

    /// Makes a file in memory that holds the bytes and goes with its last descriptor (`memfd_create`): what is passed to other processes so
    /// needs no room on a disk, and no reader changes it by its place.
    /// - Parameter name: what `/proc` shows.
    /// - Throws: `tooManyOpen`, `outOfMemory` and what the system has else.
    package static func inMemory(_ bytes: [UInt8], name: String) throws(SystemError) -> OwnedDescriptor {
        let file = OwnedDescriptor(adopting: try checked(unsafe gantry_memory_file(name), "making \(name) in memory"), name: name)
        try file.write(bytes, at: 0)
        return file
    }

    deinit {
        if isOwned { gantry_close(rawValue) }
    }

    /// Closes now and says whether the system had anything to complain about.
    /// - Throws: `deviceFailed` or `diskFull` where a file system reports late.
    package consuming func close() throws(SystemError) {
        isOwned = false
        try checked(gantry_close(rawValue), "closing \(path)")
    }

    /// Gives the number away; the caller closes it.
    package consuming func release() -> Int32 {
        isOwned = false
        return rawValue
    }

    /// Size, times, owner and kind.
    /// - Throws: the file system's error.
    package borrowing func status() throws(SystemError) -> FileStatus {
        var status = gantry_status()
        try checked(unsafe gantry_status(rawValue, &status), "looking at \(path)")
        return FileStatus(status)
    }

    /// Waits until there is something to read (or the other end is closed) or the time is over.
    /// - Returns: false when the time is over.
    /// - Throws: the system's error.
    package borrowing func waitReadable(upTo limit: Duration) throws(SystemError) -> Bool {
        try NumberedDescriptor.waitReadable(rawValue, upTo: limit)
    }
}

/// How a file is opened. Close-on-exec is always set.
package struct OpenOptions: OptionSet, Hashable, Sendable {
    /// Bits of our own.
    package let rawValue: Int32

    /// Wraps bits.
    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Reading.
    package static let read = OpenOptions(rawValue: 1)
    /// Writing.
    package static let write = OpenOptions(rawValue: 2)
    /// Make the file if it is not there.
    package static let create = OpenOptions(rawValue: 4)
    /// Fail with `exists` if it is there; only with `create`.
    package static let exclusive = OpenOptions(rawValue: 8)
    /// Forget what it holds.
    package static let truncate = OpenOptions(rawValue: 16)
    /// Every write goes to the end.
    package static let append = OpenOptions(rawValue: 32)
    /// Fail with `notAFolder` unless it is a folder.
    package static let folder = OpenOptions(rawValue: 64)
    /// Open a pipe or device at once instead of waiting for its other end; means nothing for files.
    package static let withoutWaiting = OpenOptions(rawValue: 128)

    var flags: Int32 {
        var flags = contains(.write) ? (contains(.read) ? O_RDWR : O_WRONLY) : O_RDONLY
        if contains(.create) { flags |= O_CREAT }
        if contains(.exclusive) { flags |= O_EXCL }
        if contains(.truncate) { flags |= O_TRUNC }
        if contains(.append) { flags |= O_APPEND }
        if contains(.folder) { flags |= O_DIRECTORY }
        if contains(.withoutWaiting) { flags |= O_NONBLOCK }
        return flags
    }
}

/// What the file system says about a file.
package struct FileStatus: Hashable, Sendable {
    /// The size in bytes.
    package let byteCount: Int64
    /// The last change of the content in nanoseconds since 1970-01-01 UTC.
    package let modifiedNanoseconds: Int64
    /// The number that names its file system.
    package let device: UInt64
    /// The number that names the file within its file system.
    package let inode: UInt64
    /// How many names it has; 0 after the last one was removed while it is open.
    package let linkCount: UInt64
    /// Who owns it.
    package let ownerID: UInt32
    /// The permission bits, as in 0o750.
    package let permissions: UInt32
    /// What kind of thing it is.
    package let kind: FileKind

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

/// What a name in a folder stands for.
package enum FileKind: Hashable, Sendable {
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

extension OwnedDescriptor {
    /// Reads what is there, at most `count` bytes, from the current position or a pipe.
    ///
    /// - Parameter buffer: its content is replaced; its memory is kept, so give the same one each time.
    /// - Returns: how many bytes `buffer` now holds; 0 is the end.
    /// - Throws: `wouldBlock` for a descriptor that does not block, `deviceFailed`.
    @discardableResult
    package borrowing func read(into buffer: inout [UInt8], count: Int) throws(SystemError) -> Int {
        let number = rawValue
        let got = unsafe buffer.refill(count) { target in unsafe gantry_read(number, target.baseAddress, target.count) }
        return Int(try checked(got, "reading \(path)"))
    }

    /// Reads `count` bytes at a position, fewer only at the end of the file. Moves no position, so threads may share it.
    ///
    /// - Parameter buffer: its content is replaced; its memory is kept, so give the same one each time.
    /// - Returns: how many bytes `buffer` now holds.
    /// - Throws: `deviceFailed` and whatever the file system has.
    @discardableResult
    package borrowing func read(into buffer: inout [UInt8], at offset: Int64, count: Int) throws(SystemError) -> Int {
        let number = rawValue
        let got = unsafe buffer.refill(count) { target in
            unsafe gantry_read_at(number, target.baseAddress, target.count, offset)
        }
        return Int(try checked(got, "reading \(count) bytes of \(path) at \(offset)"))
    }

    /// Writes all bytes at the current position or into a pipe.
    /// - Throws: `diskFull` (some bytes may be written), `brokenPipe`, `deviceFailed`.
    package borrowing func write(_ bytes: [UInt8]) throws(SystemError) {
        let code = unsafe bytes.withUnsafeBytes { unsafe gantry_write_all(rawValue, $0.baseAddress, $0.count) }
        try checked(code, "writing \(bytes.count) bytes to \(path)")
    }

    /// Writes a part of an array at the current position or into a pipe.
    /// - Throws: `diskFull` (some bytes may be written), `brokenPipe`, `deviceFailed`.
    package borrowing func write(_ bytes: ArraySlice<UInt8>) throws(SystemError) {
        let code = unsafe bytes.withUnsafeBytes { unsafe gantry_write_all(rawValue, $0.baseAddress, $0.count) }
        try checked(code, "writing \(bytes.count) bytes to \(path)")
    }

    /// Writes all bytes at a position of a file; moves no position.
    /// - Throws: `diskFull` (some bytes may be written), `deviceFailed`.
    package borrowing func write(_ bytes: [UInt8], at offset: Int64) throws(SystemError) {
        let code = unsafe bytes.withUnsafeBytes { unsafe gantry_write_all_at(rawValue, $0.baseAddress, $0.count, offset) }
        try checked(code, "writing \(bytes.count) bytes to \(path) at \(offset)")
    }

    /// Waits until content and size are on the disk (`fsync`). After a failure the content must count as lost.
    /// - Throws: `deviceFailed`, `diskFull`.
    package borrowing func sync() throws(SystemError) {
        try checked(gantry_sync(rawValue, 0), "syncing \(path)")
    }

    /// Waits until the content can be read back after a power cut (`fdatasync`), without times and owner.
    /// - Throws: `deviceFailed`, `diskFull`.
    package borrowing func syncData() throws(SystemError) {
        try checked(gantry_sync(rawValue, 1), "syncing \(path)")
    }

    /// Has the next read ask the disk itself: what memory holds of the file's synced content is forgotten.
    /// - Throws: the file system's error.
    package borrowing func forgetCached() throws(SystemError) {
        try checked(gantry_forget_cached(rawValue), "forgetting what is cached of \(path)")
    }

    /// Reserves room from the start, so that writing there later does not find the disk full; the file grows to it.
    /// - Throws: `diskFull`, `quotaFull`.
    package borrowing func reserve(byteCount: Int64) throws(SystemError) {
        try checked(gantry_allocate(rawValue, byteCount), "reserving \(byteCount) bytes for \(path)")
    }

    /// Cuts the file or lets it grow with zeros that take no room.
    /// - Throws: the file system's error.
    package borrowing func truncate(to byteCount: Int64) throws(SystemError) {
        try checked(gantry_truncate(rawValue, byteCount), "cutting \(path) to \(byteCount) bytes")
    }

    /// Sets the file's time to now.
    /// - Throws: `permissionDenied`, `readOnly`.
    package borrowing func touch() throws(SystemError) {
        try checked(gantry_touch_descriptor(rawValue), "setting the time of \(path)")
    }
}

extension [UInt8] {
    /// Lets `read` write up to `count` bytes over the content and keeps as many as it says.
    ///
    /// Zeros are written only where the array grows, so a buffer that is used again costs nothing.
    fileprivate mutating func refill(_ count: Int, _ read: (UnsafeMutableRawBufferPointer) -> Int64) -> Int64 {
        if self.count < count {
            reserveCapacity(count)
            append(contentsOf: repeatElement(0, count: count - self.count))
        }
        let got = unsafe withUnsafeMutableBytes { unsafe read(UnsafeMutableRawBufferPointer(rebasing: $0[..<count])) }
        removeLast(self.count - Int(Swift.max(got, 0)))
        return got
    }
}

extension OwnedDescriptor {
    /// Takes a lock of the file (`flock`) that others may share. It ends when the descriptor is closed, however the process ends.
    /// - Returns: false, at once, when somebody else holds the lock that excludes all others.
    /// - Throws: the system's error.
    package borrowing func tryLockShared() throws(SystemError) -> Bool {
        let code = gantry_lock_shared(rawValue)
        if code == -SystemErrorCode.inUse.rawValue { return false }
        try checked(code, "locking \(path)")
        return true
    }

    /// Takes the lock of the file (`flock`) that excludes all others. It ends when the descriptor is closed, however the process ends.
    /// - Returns: false, at once, when somebody else holds a lock.
    /// - Throws: the system's error.
    package borrowing func tryLockExclusively() throws(SystemError) -> Bool {
        let code = gantry_lock(rawValue)
        if code == -SystemErrorCode.inUse.rawValue { return false }
        try checked(code, "locking \(path)")
        return true
    }
}

/// Calls on a descriptor that somebody else owns, known by its number: standard output, `--ready-fd`.
package enum NumberedDescriptor {
    /// Writes all bytes.
    /// - Throws: `brokenPipe` when nobody reads it, else the system's error, as when nobody passed that descriptor.
    package static func write(_ bytes: [UInt8], to number: Int32) throws(SystemError) {
        let code = unsafe bytes.withUnsafeBytes { unsafe gantry_write_all(number, $0.baseAddress, $0.count) }
        try checked(code, "writing \(bytes.count) bytes to descriptor \(number)")
    }

    /// Whether this process has a descriptor of that number.
    package static func isOpen(_ number: Int32) -> Bool { gantry_is_open(number) == 1 }

    /// Closes it.
    /// - Throws: the system's error when it is not open.
    package static func close(_ number: Int32) throws(SystemError) {
        try checked(gantry_close(number), "closing descriptor \(number)")
    }

    /// Reads what there is.
    /// - Parameter count: bytes at most.
    /// - Returns: none at the end.
    /// - Throws: the system's error.
    package static func read(_ number: Int32, upTo count: Int) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = unsafe bytes.withUnsafeMutableBytes { unsafe gantry_read(number, $0.baseAddress, count) }
        return Array(bytes.prefix(Int(try checked(read, "reading descriptor \(number)"))))
    }

    /// The limit of a wait that has none of its own: whoever waits does so again then. It only has to be long, for waking costs a little.
    package static let longestWait = Duration.seconds(3_600)

    /// Waits until there is something to read (or the other end is closed) or the time is over.
    /// - Returns: false when the time is over.
    /// - Throws: the system's error.
    package static func waitReadable(_ number: Int32, upTo limit: Duration) throws(SystemError) -> Bool {
        try checked(gantry_wait_ready(number, 0, limit.waitMilliseconds), "waiting for descriptor \(number)") > 0
    }

    /// Whether it is a terminal.
    package static func isTerminal(_ number: Int32) -> Bool {
        gantry_is_terminal(number) == 1
    }

    /// The size of the terminal, or nil if it is none or does not know how wide it is. One that does not know its rows counts as one of 24.
    package static func terminalSize(_ number: Int32) -> TerminalSize? {
        var columns: Int32 = 0
        var rows: Int32 = 0
        guard unsafe gantry_terminal_size(number, &columns, &rows) == 0, columns > 0 else { return nil }
        return TerminalSize(columns: Int(columns), rows: rows > 0 ? Int(rows) : 24)
    }
}

/// How many characters a terminal shows.
package struct TerminalSize: Hashable, Sendable {
    /// Characters in a line.
    package let columns: Int
    /// Lines.
    package let rows: Int

    /// Makes a size.
    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }
}
