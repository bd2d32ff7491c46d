//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform

/// An empty file, allocated while there is room and removed when there is none, so that rows under way can still be written.
///
/// Where the whole finds no room a little is taken, so that a disk that is small from the start, and filled by somebody else, still has
/// room for some rows: clients can look at what there is, and see why nothing is accepted.
struct Ballast: JournalBallast {
    /// Its name in the journal's folder.
    static let fileName = "ballast"

    /// What is tried where the whole finds no room, in bytes.
    private static let littleByteCounts = [4 << 20, 1 << 20, 256 << 10]

    let path: String
    let byteCount: Int

    func make() throws(JournalError) -> Bool {
        if try allocate(byteCount) { return true }
        for little in Self.littleByteCounts where little < byteCount { if try allocate(little) { break } }
        return false
    }

    func release() {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Makes the file so large; false: there is no room, and the file is removed.
    private func allocate(_ byteCount: Int) throws(JournalError) -> Bool {
        do throws(SystemError) {
            try OwnedDescriptor(path: path, options: [.read, .write, .create], mode: 0o600).reserve(byteCount: Int64(byteCount))
            return true
        } catch {
            guard Self.noRoom.contains(error.code) else { throw JournalError(error, path: path) }
            release()
            return false
        }
    }

    /// Of a disk, of a user's share of it, and of a file system that has no files so large.
    private static let noRoom: [SystemErrorCode] = [.diskFull, .quotaFull, .fileTooLarge]
}
