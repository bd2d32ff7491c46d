//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPlatform
import Synchronization

/// Tells the right objects folder from any other that has its path: an empty one where nothing is mounted, or one of another time.
///
/// The right folder has an identity, 32 random hexadecimal digits in a file. It is made once and never overwritten. A front notes it in a file
/// elsewhere, which its workers read too, so that no new process takes what it finds for the right one.
final class FolderIdentity: Sendable {
    /// The file in the objects folder.
    static let name = ".id"
    private static let digitCount = 32

    private let path: String
    private let note: String?
    /// What the folder's file must say, as far as this process knows; missing: there must be no file, because none could be written.
    private let known = Mutex<Mark?>(nil)

    /// What a folder's file says of which folder it is.
    private enum Mark: Equatable {
        /// There is no file.
        case missing
        /// Nothing that could be an identity: too few digits, other bytes, or a link, which could lead to the identity of another folder.
        case unreadable
        case identity(String)
    }

    /// The identity of the folder at `path`; `note` is the front's file, nil: there is no front.
    init(of path: String, note: String?) {
        self.path = path
        self.note = note
    }

    /// - Throws: `away` unless the folder is the right one.
    func check(_ root: ObjectRoot, fromDisk: Bool) throws(FileCacheError) {
        let found = try mark(in: root, fromDisk: fromDisk)
        let right = known.withLock { $0 }
        guard found != right else { return }
        if let noted = try noted() {
            guard found == .identity(noted) else { throw foreign(found) }
        } else {
            // A worker may come first, or share no more than the objects folder: then the first that has an identity is the right one.
            guard right == nil, case .identity = found else { throw foreign(found) }
        }
        known.withLock { $0 = found }
    }

    /// Finds out which folder is the right one, and notes it; only one process at a time may.
    ///
    /// The first time it is the one that is there. Later it is the one that was noted, and another only takes its place while nothing can get
    /// lost by that.
    ///
    /// - Parameter keepsLists: whether lists are kept in the right folder that nobody can load again.
    /// - Returns: what is to be told to people, if anything.
    func establish(_ root: ObjectRoot, keepsLists: Bool) throws(FileCacheError) -> String? {
        let found = try mark(in: root, fromDisk: false)
        let noted = try noted()
        if let noted, found == .identity(noted) {
            known.withLock { $0 = found }
            return nil
        }
        if keepsLists { try refuseStranger(found, in: root, isNoted: noted != nil) }
        try refuseUnreadable(found)
        do throws(SystemError) {
            let right = if case .identity(let identity) = found { identity } else { try make(in: root) }
            known.withLock { $0 = .identity(right) }
            // The folder first: a note without its folder would turn the right folder away.
            if let note { try write(right, to: note) }
        } catch {
            // A folder that is full or may only be read is read all the same.
            known.withLock { $0 = $0 ?? found }
            return note == nil ? nil : "the objects folder \(path) is used, but what tells it from another could not be written: \(error)"
        }
        return noted == nil
            ? nil
            : "the objects folder \(path) is not the one of before: no list of a user's own was in that, so this one is used from now on"
    }

    /// Looks, changing nothing, why a front could not use what is at the path: it is not the folder that was noted, or none was and this one has no
    /// identity that can be read. Nil: it could.
    static func fault(of path: String, note: String) -> FileCacheError? {
        let identity = FolderIdentity(of: path, note: note)
        do throws(FileCacheError) {
            let isNoted = try identity.noted() != nil
            let root: ObjectRoot
            do throws(SystemError) { root = ObjectRoot(try DirectoryDescriptor(path: path)) } catch {
                guard error.code == .notFound else { throw .reaching(path, error) }
                // Where none was, a front makes one.
                guard isNoted else { return nil }
                throw identity.away("the objects folder \(path) is away")
            }
            guard !isNoted else {
                try identity.check(root, fromDisk: true)
                return nil
            }
            try identity.refuseUnreadable(identity.mark(in: root, fromDisk: true))
            return nil
        } catch { return error }
    }

    /// Nobody has the path.
    func away(_ what: String) -> FileCacheError { .away("\(what): put it back (is its file system mounted?)\(wayOn)") }

    /// Workers turn the folder away too, and what stands there may be somebody's: it is not overwritten. Who shares it with no front reads it.
    private func refuseUnreadable(_ found: Mark) throws(FileCacheError) {
        if note != nil, found == .unreadable { throw foreign(found) }
    }

    private func refuseStranger(_ found: Mark, in root: ObjectRoot, isNoted: Bool) throws(FileCacheError) {
        guard !isNoted else { throw foreign(found) }
        let isEmpty: Bool
        do throws(SystemError) { isEmpty = try root.isEmpty() } catch { throw .reaching(path, error) }
        guard isEmpty, found == .missing else { return }
        throw .away(
            "no object at all is in the objects folder \(path), though lists are kept there: put back what was there (is its file system mounted?), or "
                + "give each of these lists up with `gantry feed reset --drop-manual`; then start the front again")
    }

    private func foreign(_ found: Mark) -> FileCacheError {
        let what: String
        switch found {
        case .missing: what = "has no \(Self.name)"
        case .unreadable:
            let file = "\(path)/\(Self.name)"
            return .away("\(file) is no file of \(Self.digitCount) hexadecimal digits, which tell one folder from another: \(mending)")
        case .identity: what = "has the \(Self.name) of another"
        }
        return .away(
            "what is at \(path) is not the objects folder that was there, it \(what): put that one back (is its file system mounted?)\(wayOn)"
        )
    }

    /// What helps where the folder's file is damaged.
    private var mending: String {
        let file = ShellWord.of("\(path)/\(Self.name)")
        guard let noting else { return "remove that file, then \(note == nil ? "open the cache anew" : "start the front again")" }
        return "put the right folder back, or if this is it, go on with it by: install -D -m 600 \(ShellWord.of(noting)) \(file)"
    }

    /// What helps where the right folder is gone for good.
    private var wayOn: String {
        guard note != nil else { return ", or open the cache anew to use what is there" }
        guard let noting else { return ", or start the front again" }
        let words = [noting, "\(path)/\(Self.name)"].map(ShellWord.of)
        return "; if it is gone for good, go on without it by: install -D -m 600 \(words[0]) \(words[1])"
    }

    /// The front's file, where it has noted an identity.
    private var noting: String? { (try? noted()) == nil ? nil : note }

    private func mark(in root: ObjectRoot, fromDisk: Bool) throws(FileCacheError) -> Mark {
        do throws(SystemError) {
            let file = try root.folder.openFile(Self.name, options: [.read, .withoutWaiting])
            // A disk that is gone still answers from memory, as if its file were there.
            if fromDisk { try file.forgetCached() }
            let digits = try Self.digits(in: file)
            return digits.isEmpty ? .unreadable : .identity(digits)
        } catch {
            switch error.code {
            case .notFound: return .missing
            case .symbolicLink, .leavesFolder: return .unreadable
            default: throw .reaching(path, error)
            }
        }
    }

    /// What the front has noted; nil: nothing yet.
    private func noted() throws(FileCacheError) -> String? {
        guard let note else { return nil }
        do throws(SystemError) {
            let digits = try Self.digits(in: OwnedDescriptor(path: note, options: .read))
            return digits.isEmpty ? nil : digits
        } catch {
            guard error.code != .notFound, error.code != .notAFolder else { return nil }
            throw .reaching(path, error)
        }
    }

    private static func digits(in file: borrowing OwnedDescriptor) throws(SystemError) -> String {
        var bytes: [UInt8] = []
        try file.read(into: &bytes, at: 0, count: digitCount)
        // Half of an identity must not be taken for one.
        guard bytes.count == digitCount, bytes.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }) else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Gives the folder an identity, synced; whoever came first has made that of all.
    private func make(in root: ObjectRoot) throws(SystemError) -> String {
        let draft = try TemporaryFile.make(in: root)
        do throws(SystemError) {
            let digits = try TemporaryFile.randomDigits() + TemporaryFile.randomDigits()
            try draft.file.writeBeforeNaming(Array(digits.utf8))
            // Synced before it has its name, so that no power cut leaves a name with an empty file, which nothing ever overwrites.
            try draft.file.syncBeforeReplacing()
            try root.folder.renameIfNew(draft.name, to: Self.name)
        } catch {
            try root.folder.unlink(draft.name)
            guard error.code == .exists else { throw error }
        }
        try root.folder.sync()
        // Read back, because another process may have been first, and its identity is then that of all.
        let made = try Self.digits(in: root.folder.openFile(Self.name, options: .read))
        guard !made.isEmpty else {
            throw SystemError(
                code: .invalidArgument, context: "\(path)/\(Self.name) has not \(Self.digitCount) hexadecimal digits",
                nextStep: "remove that file")
        }
        return made
    }

    /// Writes the note in one step: a worker reads all of it or what was there before.
    private func write(_ identity: String, to note: String) throws(SystemError) {
        let parts = note.split(separator: "/", omittingEmptySubsequences: false)
        guard let name = parts.last.map(String.init) else { return }
        let folder = try DirectoryDescriptor(path: parts.dropLast().joined(separator: "/"))
        let draft = "." + name
        let file = try folder.openFile(draft, options: [.read, .write, .create, .truncate], mode: 0o600)
        try file.write(Array(identity.utf8), at: 0)
        try file.sync()
        try folder.rename(draft, to: name)
        try folder.sync()
    }
}
