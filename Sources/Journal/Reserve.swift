//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Glibc

/// A file of nothing, allocated while there is room, given up when there is none: what is on its way can then still be written.
///
/// Where the whole finds no room a little is taken, so that a disk that is small from the start, and filled by somebody else, still has room
/// for some rows: clients can look at what there is, and are told why nothing is accepted.
struct Reserve: JournalReserve {
    /// What is tried where the whole finds no room, in bytes.
    private static let littleByteCounts = [4 << 20, 1 << 20, 256 << 10]

    let path: String
    let byteCount: Int

    func make() -> Bool {
        if allocate(byteCount) { return true }
        _ = Self.littleByteCounts.contains { $0 < byteCount && allocate($0) }
        return false
    }

    func release() {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Makes the file so large; false: there is no room, and the file is gone.
    private func allocate(_ byteCount: Int) -> Bool {
        let files = FileManager.default
        guard files.fileExists(atPath: path) || files.createFile(atPath: path, contents: nil),
            let handle = FileHandle(forUpdatingAtPath: path)
        else { return false }
        let code = posix_fallocate(handle.fileDescriptor, 0, off_t(byteCount))
        try? handle.close()
        if code != 0 { release() }
        return code == 0
    }
}
