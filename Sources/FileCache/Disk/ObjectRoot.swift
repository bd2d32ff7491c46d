//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Platform

/// The objects folder as it was opened once. Who has begun to add an object keeps to it, so that file and place belong to one folder.
final class ObjectRoot: Sendable {
    static let lockName = ".lock"
    /// The lock's permissions: whoever else could open the file could lock it, and every adder would wait for him.
    static let lockMode: UInt32 = 0o600
    let folder: DirectoryDescriptor

    init(_ folder: consuming DirectoryDescriptor) { self.folder = folder }

    var path: String { folder.path }

    /// Opens the file by which adders and collections exclude each other.
    func openLock() throws(SystemError) -> OwnedDescriptor {
        try folder.openFile(Self.lockName, options: [.read, .write, .create], mode: Self.lockMode)
    }

    /// Whether it has not a single folder of objects.
    func isEmpty() throws(SystemError) -> Bool { try !folder.list().contains { ObjectPath.isFolder($0) } }
}
