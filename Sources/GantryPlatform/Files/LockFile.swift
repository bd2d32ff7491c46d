//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CGantryPlatform

/// Holds a file so that only one process at a time works in a folder (`flock`).
///
/// The lock ends with this value or with the process, however it dies. The file stays: removing it would let two
/// processes hold two files of one name.
package struct LockFile: ~Copyable, Sendable {
    /// Where it is.
    package let path: String
    private let descriptor: OwnedDescriptor

    /// Takes the lock or fails at once; writes this process's id into the file.
    /// - Throws: `inUse` with the holder's process id, `permissionDenied`, `notFound` for a missing folder.
    package init(path: String) throws(SystemError) {
        let file = try OwnedDescriptor(path: path, options: [.read, .write, .create, .withoutWaiting], mode: 0o640)
        let code = gantry_lock(file.rawValue)
        if code == -SystemErrorCode.inUse.rawValue {
            throw SystemError(code: .inUse, context: "\(path) is held by process \(Self.holder(file)): stop it first")
        }
        try checked(code, "locking \(path)")
        let line = Array("\(ProcessControl.currentID)\n".utf8)
        try file.write(line, at: 0)
        // Only what is left of a longer line goes. Emptying the file instead may wait for the disk, and a front that starts again has no time.
        if try file.status().byteCount > line.count { try file.truncate(to: Int64(line.count)) }
        self.path = path
        descriptor = file
    }

    deinit {
        // Not left to closing: a process that is just being spawned holds a copy of the descriptor until its exec.
        gantry_unlock(descriptor.rawValue)
    }

    /// Lets go before the end of the scope, and takes this process's number out of the file: whoever reads it then finds none. It is written over in
    /// its place, since a file that was emptied could not be written again on a full disk.
    package consuming func unlock() {
        let count = (try? descriptor.status().byteCount) ?? 0
        // A number that stays does no harm: the lock says who holds it.
        try? descriptor.write([UInt8](repeating: UInt8(ascii: "\n"), count: min(Int(count), Self.lineLimit)), at: 0)
    }

    /// What a number and the end of its line take at most.
    private static let lineLimit = 20

    /// The process that holds the lock of this file: the one that the file names, if the kernel says so too, for a number outlives its process
    /// and is given to another one. The lock itself is not tried, which could keep its next holder from it.
    /// - Returns: nil when nobody holds it, and where the holder cannot be seen, as in another container.
    package static func holder(of path: String) -> Int32? {
        guard let file = try? OwnedDescriptor(path: path, options: [.read, .withoutWaiting]), let process = Int32(holder(file)),
            let inode = try? file.status().inode
        else { return nil }
        // What a process holds is said by each of its descriptors. The list of all locks is for the processes of other users: it comes page by page,
        // and a lock that is let go meanwhile moves the next one out of it.
        let isHeld = (locks(of: process) ?? lockLines("/proc/locks", count: 1 << 20)).contains { line in
            // proc_locks(5): "1: FLOCK  ADVISORY  WRITE 4711 08:01:131 0 EOF"; the device's number is not that of its files on every file system.
            let fields = line.split(whereSeparator: \.isWhitespace)
            return fields.count > 5 && fields[1] == "FLOCK" && fields[4] == "\(process)" && fields[5].hasSuffix(":\(inode)")
        }
        return isHeld ? process : nil
    }

    /// A process that has the locked file open as its locker has it, whatever the file names: the locker, or who was started by it.
    /// - Returns: nil when nobody holds the lock, and where the holder cannot be seen: it is another user's, or in another container.
    package static func anyHolder(of path: String) -> Int32? {
        if let named = holder(of: path) { return named }
        guard let place = try? OwnedDescriptor(path: path, options: [.read, .withoutWaiting]).status(),
            let processes = try? DirectoryDescriptor(path: "/proc").list().compactMap({ Int32($0) })
        else { return nil }
        return processes.sorted().first { process in
            let folder = "/proc/\(process)/fdinfo"
            return ((try? DirectoryDescriptor(path: folder).list()) ?? []).contains { name in
                let isLocked = lockLines("\(folder)/\(name)", count: 4_096).contains { line in
                    line.hasPrefix(lockMark) && line.contains("FLOCK") && line.contains(":\(place.inode) ")
                }
                return isLocked && isOpen(place, as: name, by: process)
            }
        }
    }

    /// A process that has locked a part of a file by `fcntl`, as SQLite does; the lock itself is not tried.
    /// - Returns: nil when nobody has, and where the locker cannot be seen, as in another container.
    package static func recordHolder(of path: String) -> Int32? {
        guard let place = try? OwnedDescriptor(path: path, options: [.read, .withoutWaiting]).status() else { return nil }
        let lockers = lockLines("/proc/locks", count: 1 << 20).compactMap { line -> Int32? in
            // proc_locks(5): "1: POSIX  ADVISORY  WRITE 4711 08:01:131 0 EOF".
            let fields = line.split(whereSeparator: \.isWhitespace)
            guard fields.count > 5, fields[1] == "POSIX", fields[5].hasSuffix(":\(place.inode)") else { return nil }
            return Int32(fields[4]).flatMap { $0 > 0 ? $0 : nil }
        }
        return lockers.first { process in
            ((try? DirectoryDescriptor(path: "/proc/\(process)/fd").list()) ?? []).contains { isOpen(place, as: $0, by: process) }
        }
    }

    /// Whether a descriptor of a process is of this very file: files of two file systems may have one number.
    private static func isOpen(_ place: FileStatus, as descriptor: String, by process: Int32) -> Bool {
        let file = try? OwnedDescriptor(path: "/proc/\(process)/fd/\(descriptor)", options: [.read, .withoutWaiting]).status()
        return file?.inode == place.inode && file?.device == place.device
    }

    /// What the descriptors of a process have locked, as lines of proc_locks(5); nil when this user may not see it.
    private static func locks(of process: Int32) -> [Substring]? {
        let folder = "/proc/\(process)/fdinfo"
        guard let names = try? DirectoryDescriptor(path: folder).list() else { return nil }
        // proc_pid_fdinfo(5): "lock:", a tab and the line.
        let lines = names.flatMap { lockLines("\(folder)/\($0)", count: 4_096) }
        return lines.filter { $0.hasPrefix(lockMark) }.map { $0.dropFirst(lockMark.count) }
    }

    /// The lines in the first `count` bytes of a list of the kernel.
    private static func lockLines(_ path: String, count: Int) -> [Substring] {
        var lines: [UInt8] = []
        guard let file = try? OwnedDescriptor(path: path, options: .read), (try? file.read(into: &lines, at: 0, count: count)) != nil
        else { return [] }
        return String(decoding: lines, as: UTF8.self).split(separator: "\n")
    }

    private static let lockMark = "lock:"

    private static func holder(_ file: borrowing OwnedDescriptor) -> String {
        var bytes: [UInt8] = []
        guard (try? file.read(into: &bytes, at: 0, count: 20)) != nil else { return "unknown" }
        let text = String(decoding: bytes.prefix { (48...57).contains($0) }, as: UTF8.self)
        return text.isEmpty ? "unknown" : text
    }
}
