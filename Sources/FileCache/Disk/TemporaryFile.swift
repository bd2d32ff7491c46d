//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Platform

/// A file that becomes an object by getting its name, or is removed.
struct TemporaryFile {
    /// What every temporary name begins with; objects' folders have two hexadecimal digits, so the two are never mixed up.
    static let prefix = ".adding-"
    /// What a name ends with whose maker holds the file's lock for as long as it lives: without that lock the file is nobody's. Where the file system
    /// knows no locks, names lack it, and only a file's age tells.
    static let heldSuffix = "-held"

    /// The folder that it lies in, and in which it becomes an object.
    let root: ObjectRoot
    let name: String
    let file: CacheFile

    /// Makes an empty file.
    static func make(in root: ObjectRoot) throws(SystemError) -> TemporaryFile {
        // A collection may look at a new file before its maker has locked it; it takes that one, and the next has another name.
        for _ in 0..<8 {
            let name = try newName() + heldSuffix
            let file = try root.folder.createExclusive(name)
            do throws(SystemError) {
                if try file.tryLockExclusively(), try file.status().linkCount > 0 {
                    return TemporaryFile(root: root, name: name, file: CacheFile(file))
                }
            } catch {
                try root.folder.unlink(name)
                break
            }
        }
        let name = try newName()
        return TemporaryFile(root: root, name: name, file: CacheFile(try root.folder.createExclusive(name)))
    }

    /// Sixteen random hexadecimal digits.
    static func randomDigits() throws(SystemError) -> String {
        let number = String(try SystemRandom.next(), radix: 16)
        return String(repeating: "0", count: 16 - number.count) + number
    }

    private static func newName() throws(SystemError) -> String {
        prefix + (try randomDigits())
    }
}
