//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPlatform
import Synchronization

/// The objects folder: opens, adds and removes files beneath it, and nothing outside.
///
/// Putting an object in place and removing one exclude each other by a lock file (shared for adding, exclusive for removing), so that an
/// object whose adder was told its name cannot be removed by a collection that saw the file's old time.
///
/// The folder is the one that has the path at that moment, if it is the right one by its identity: a cache that was restored or moved to a larger
/// disk is used at once, by front and workers alike. What has begun in one folder ends there or fails.
final class ObjectFolder: Sendable {
    let path: String
    let limits: CacheLimits
    /// Looks at a lock that is taken: ten seconds of them unless said otherwise. A collection holds it for milliseconds, so whoever holds
    /// it longer is a stranger or stands still.
    let lockAttempts: Int
    /// Between two of them.
    static let lockPause = Duration.milliseconds(10)
    private let identity: FolderIdentity
    private let opened: Mutex<ObjectRoot>

    init(path: String, note: String? = nil, limits: CacheLimits, lockAttempts: Int = 1_000) throws(FileCacheError) {
        self.path = path
        identity = FolderIdentity(of: path, note: note)
        self.limits = limits
        self.lockAttempts = lockAttempts
        let root: ObjectRoot
        do throws(SystemError) { root = ObjectRoot(try DirectoryDescriptor(ownedAt: path)) } catch {
            switch error.code {
            // A link whose file system is away: nothing can be made where it leads.
            case .notFound: throw identity.away("the objects folder \(path) is away")
            case .permissionDenied: throw .reading(error)
            default: throw .writing(error)
            }
        }
        opened = Mutex(root)
        // Made now, so that a disk which is full later does not keep a collection from it. Who may only read the folder does without.
        _ = try? root.openLock()
        if note == nil { _ = try identity.establish(root, keepsLists: false) }
    }

    /// The folder that has the path now.
    ///
    /// - Parameter fromDisk: whether the disk itself is to say which folder it is, not what memory still holds.
    /// - Throws: `away` when none has it, or another than the right one; why one that has it cannot be used.
    @discardableResult
    func root(fromDisk: Bool = false) throws(FileCacheError) -> ObjectRoot {
        let root = try pathRoot()
        try identity.check(root, fromDisk: fromDisk)
        return root
    }

    /// Finds out which folder is the right one, as ``FileCache/FileCache/settle(keepsLists:)`` says.
    func establish(keepsLists: Bool) throws(FileCacheError) -> String? { try identity.establish(pathRoot(), keepsLists: keepsLists) }

    /// The folder that has the path now, right or not.
    private func pathRoot() throws(FileCacheError) -> ObjectRoot {
        let current = opened.withLock { $0 }
        // What is open may be of a file system that is gone: then only the path can tell.
        switch (try? current.folder.place()) ?? .replaced {
        case .here: return current
        case .away: throw identity.away("the objects folder \(path) is away")
        case .replaced: break
        }
        let next: ObjectRoot
        do throws(SystemError) { next = ObjectRoot(try DirectoryDescriptor(existingOwnedAt: path)) } catch { throw .reaching(path, error) }
        opened.withLock { $0 = next }
        return next
    }

    /// Opens an object for reading.
    ///
    /// - Returns: the file and its size in bytes.
    /// - Throws: `notFound`; `away`, which says nothing of the object; `damaged` for a link, a file with a second name, or anything that is not a
    ///   plain file.
    func open(_ digest: ObjectDigest) throws(FileCacheError) -> (file: CacheFile, byteCount: UInt64) {
        let root = try root()
        let file: CacheFile
        do throws(SystemError) {
            file = CacheFile(try root.folder.openFile(ObjectPath(digest).text, options: [.read, .withoutWaiting]))
        } catch {
            switch error.code {
            case .notFound:
                throw FileCacheError(.notFound, "no object of this name is in \(path); it was collected or never added", digest: digest)
            case .symbolicLink, .leavesFolder, .notAFolder: throw .damaged(digest, "its path goes through a link or no folder")
            default: throw .reading(error)
            }
        }
        let status = try file.status()
        guard status.kind != .folder else { throw .folderInPlace(of: digest, at: "\(path)/\(ObjectPath(digest).text)") }
        // With a second name somebody could write to it from outside of the folder.
        guard status.kind == .file, status.linkCount <= 1 else { throw .damaged(digest, "it is not a plain file with one name") }
        return (file, UInt64(status.byteCount))
    }

    func makeTemporaryFile() throws(FileCacheError) -> TemporaryFile {
        let root = try root()
        do throws(SystemError) { return try TemporaryFile.make(in: root) } catch { throw .writing(error) }
    }

    /// A file without a name: its room is free again when it is closed, however the process ends.
    func makeNamelessFile() throws(FileCacheError) -> CacheFile {
        let temporary = try makeTemporaryFile()
        do throws(SystemError) { try temporary.root.folder.unlink(temporary.name) } catch { throw .writing(error) }
        return temporary.file
    }

    /// Removes a temporary file; one that cannot be removed is left for the collection.
    func remove(_ temporary: TemporaryFile) { try? temporary.root.folder.unlink(temporary.name) }
}

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

/// Where an object lies below the objects folder: two hexadecimal digits, a slash, the other 62.
struct ObjectPath {
    let folder: String
    let name: String

    init(_ digest: ObjectDigest) {
        let hex = String(describing: digest)
        folder = String(hex.prefix(2))
        name = String(hex.dropFirst(2))
    }

    var text: String { "\(folder)/\(name)" }

    /// Whether a name in the objects folder can be a folder of objects.
    static func isFolder(_ name: String) -> Bool { name.utf8.count == 2 && name.utf8.allSatisfy(isDigit) }

    /// The object that a name in a folder stands for; nil for anything that is not ours.
    static func digest(folder: String, name: String) -> ObjectDigest? {
        guard name.utf8.count == 62, name.utf8.allSatisfy(isDigit) else { return nil }
        return ObjectDigest(hex: folder + name)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) }
}

/// An open file of the cache: positions are given by the caller, so readers on several threads may share it.
final class CacheFile: Sendable {
    private let descriptor: OwnedDescriptor

    init(_ descriptor: consuming OwnedDescriptor) { self.descriptor = descriptor }

    /// Reads `count` bytes at `offset`; fewer when the file ends there.
    func read(at offset: UInt64, count: Int) throws(FileCacheError) -> [UInt8] {
        var bytes: [UInt8] = []
        do throws(SystemError) { try descriptor.read(into: &bytes, at: Int64(offset), count: count) } catch { throw .reading(error) }
        return bytes
    }

    func write(_ bytes: [UInt8], at offset: UInt64) throws(FileCacheError) {
        do throws(SystemError) { try descriptor.write(bytes, at: Int64(offset)) } catch { throw .writing(error) }
    }

    /// Waits until everything written is on the disk.
    func sync() throws(FileCacheError) {
        do throws(SystemError) { try descriptor.sync() } catch { throw .writing(error) }
    }

    /// The same for callers that map errors themselves.
    func syncBeforeReplacing() throws(SystemError) { try descriptor.sync() }

    /// Writes the whole of a small file, for callers that map errors themselves.
    func writeBeforeNaming(_ bytes: [UInt8]) throws(SystemError) { try descriptor.write(bytes, at: 0) }

    func status() throws(FileCacheError) -> FileStatus {
        do throws(SystemError) { return try descriptor.status() } catch { throw .reading(error) }
    }

    /// Renews the file's time.
    func touch() throws(FileCacheError) {
        do throws(SystemError) { try descriptor.touch() } catch { throw .writing(error) }
    }
}

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
