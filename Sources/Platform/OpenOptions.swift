//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import Glibc

/// How a file is opened. Close-on-exec is always set.
public struct OpenOptions: OptionSet, Hashable, Sendable {
    /// Bits of our own.
    public let rawValue: Int32

    /// Wraps bits.
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Reading.
    public static let read = OpenOptions(rawValue: 1)
    /// Writing.
    public static let write = OpenOptions(rawValue: 2)
    /// Make the file if it is not there.
    public static let create = OpenOptions(rawValue: 4)
    /// Fail with `exists` if it is there; only with `create`.
    public static let exclusive = OpenOptions(rawValue: 8)
    /// Forget what it holds.
    public static let truncate = OpenOptions(rawValue: 16)
    /// Every write goes to the end.
    public static let append = OpenOptions(rawValue: 32)
    /// Fail with `notAFolder` unless it is a folder.
    public static let folder = OpenOptions(rawValue: 64)
    /// Open a pipe or device at once instead of waiting for its other end; means nothing for files.
    public static let withoutWaiting = OpenOptions(rawValue: 128)

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
