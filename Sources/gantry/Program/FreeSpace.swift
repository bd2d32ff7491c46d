//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation

/// What the file system of a folder has left.
enum FreeSpace {
    /// Bytes that are free; nil: the file system does not tell, or there is no such folder.
    static func byteCount(at path: String) -> Int64? {
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: path)
        return (attributes?[.systemFreeSize] as? NSNumber)?.int64Value
    }
}
