//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform

/// A folder for the copy of a journal, of this user alone. It goes with this value and with Ctrl-C; what a doctor that was killed has left goes
/// with the next one.
struct DoctorScratch: ~Copyable {
    static let prefix = "gantry-doctor-"
    /// Held for as long as the folder is used: a process number would not tell, for another container may have the same folder.
    static let lockName = "lock"

    let path: String
    private let lock: LockFile
    private let signals: SignalTaker

    /// Makes it below `parent`.
    /// - Parameter exit: ends the process with a code.
    init(
        in parent: String = FileManager.default.temporaryDirectory.path,
        exit: @escaping @Sendable (Int32) -> Void = { ProcessControl.exitImmediately(code: $0) }
    ) throws {
        Self.removeLeftOvers(in: parent)
        let path = "\(parent)/\(Self.prefix)\(UUID().uuidString)"
        let signals = try SignalTaker { signal in
            Self.remove(path)
            exit(signal.exitCode)
        }
        lock = try Self.make(path)
        (self.path, self.signals) = (path, signals)
    }

    private static func make(_ path: String) throws -> LockFile {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        do { return try LockFile(path: "\(path)/\(lockName)") } catch {
            remove(path)
            throw error
        }
    }

    deinit {
        Self.remove(path)
        signals.leave()
    }

    /// What is being copied meanwhile may come while the folder is emptied: a file at a time, and a journal has few.
    private static func remove(_ path: String) {
        for _ in 0..<8 where FileManager.default.fileExists(atPath: path) { try? FileManager.default.removeItem(atPath: path) }
    }

    private static func removeLeftOvers(in parent: String) {
        let files = FileManager.default
        for name in (try? files.contentsOfDirectory(atPath: parent)) ?? [] where name.hasPrefix(prefix) {
            let path = "\(parent)/\(name)"
            // In a folder that all may write, a name may be somebody else's trap.
            guard let found = try? files.attributesOfItem(atPath: path), found[.type] as? FileAttributeType == .typeDirectory,
                (found[.ownerAccountID] as? NSNumber)?.uint32Value == ProcessControl.userID,
                let lock = try? LockFile(path: "\(path)/\(lockName)")
            else { continue }
            remove(path)
            lock.unlock()
        }
    }
}
