//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Platform

/// A file that becomes an object by getting its name, or is removed.
struct TemporaryFile {
    /// What every temporary name begins with; objects' folders have two hexadecimal digits, so the two are never mixed up.
    static let prefix = ".adding-"

    /// The folder that it lies in, and in which it becomes an object.
    let root: ObjectRoot
    let name: String
    let file: CacheFile

    /// Makes an empty file.
    static func make(in root: ObjectRoot) throws(SystemError) -> TemporaryFile {
        let name = try newName()
        return TemporaryFile(root: root, name: name, file: CacheFile(try root.folder.createExclusive(name)))
    }

    private static func newName() throws(SystemError) -> String {
        let number = String(try SystemRandom.next(), radix: 16)
        return prefix + String(repeating: "0", count: 16 - number.count) + number
    }
}
