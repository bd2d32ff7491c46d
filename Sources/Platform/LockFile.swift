//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CPlatform

/// Holds a file so that only one process at a time works in a folder (`flock`).
///
/// The lock ends with this value or with the process, however it dies. The file stays: removing it would let two
/// processes hold two files of one name.
public struct LockFile: ~Copyable, Sendable {
    /// Where it is.
    public let path: String
    private let descriptor: OwnedDescriptor

    /// Takes the lock or fails at once; writes this process's id into the file.
    /// - Throws: `inUse` with the holder's process id, `permissionDenied`, `notFound` for a missing folder.
    public init(path: String) throws(SystemError) {
        let file = try OwnedDescriptor(path: path, options: [.read, .write, .create], mode: 0o640)
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

    /// Lets go before the end of the scope.
    public consuming func unlock() {}

    /// The process that holds the lock of this file, or held it last.
    /// - Returns: nil when the file is not there or names none.
    public static func holder(of path: String) -> Int32? {
        guard let file = try? OwnedDescriptor(path: path, options: .read) else { return nil }
        return Int32(holder(file))
    }

    private static func holder(_ file: borrowing OwnedDescriptor) -> String {
        var bytes: [UInt8] = []
        guard (try? file.read(into: &bytes, at: 0, count: 20)) != nil else { return "unknown" }
        let text = String(decoding: bytes.prefix { (48...57).contains($0) }, as: UTF8.self)
        return text.isEmpty ? "unknown" : text
    }
}
