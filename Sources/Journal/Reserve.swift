//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Glibc

/// A file of nothing, allocated while there is room, given up when there is none: what is on its way can then still be written.
struct Reserve: JournalReserve {
    let path: String
    let byteCount: Int

    func make() -> Bool {
        let files = FileManager.default
        guard files.fileExists(atPath: path) || files.createFile(atPath: path, contents: nil),
            let handle = FileHandle(forUpdatingAtPath: path)
        else { return false }
        let code = posix_fallocate(handle.fileDescriptor, 0, off_t(byteCount))
        try? handle.close()
        if code != 0 { release() }
        return code == 0
    }

    func release() {
        try? FileManager.default.removeItem(atPath: path)
    }
}
