//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model
import Platform

extension FileCache {
    /// Finds out which folder is the right one and notes it. For the front alone, before anybody adds.
    ///
    /// The first time it is the one that is there, and it gets an `.id` if it has none. Later it is the one that was noted; another takes its place
    /// only while nothing can get lost by that. Else everything fails with `away` until the right one is back, and then goes on by itself.
    ///
    /// - Parameter keepsLists: whether kept objects are named.
    /// - Returns: what is to be told to people, if anything.
    /// - Throws: `away` with the next step when the folder is not the right one.
    public func establish(keepsLists: Bool) throws(FileCacheError) -> String? { try folder.establish(keepsLists: keepsLists) }

    /// Has the disk itself say whether the folder is there, is the right one and can be read: who has failed at one object then knows that it is
    /// this one.
    ///
    /// - Throws: `away`, `notReadable`, `ioFailed`.
    public func checkFolder() throws(FileCacheError) { try folder.root(fromDisk: true) }

    /// Looks, changing nothing, why the folder that a front has noted cannot be used; nil: it can be, or none is noted.
    public static func fault(root: String, note: String) -> FileCacheError? { FolderIdentity.fault(of: root, note: note) }

    /// When the file of an object was last written; nil where that cannot be told. Who finds wrong bytes at two instants has met a file on its way.
    public func writtenAt(_ digest: ObjectDigest) -> WallTime? {
        guard let nanoseconds = try? folder.open(digest).file.status().modifiedNanoseconds else { return nil }
        return WallTime(milliseconds: nanoseconds / 1_000_000)
    }
}
