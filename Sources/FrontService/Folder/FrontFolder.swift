//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryFileCache
import GantryModel
import GantryPlatform

/// The data folder of a front: what must be true of it before a front works there.
package enum FrontFolder {
    private static let runName = "run"
    private static let journalName = "journal"
    private static let objectsName = "objects"
    private static let lockName = "front.lock"
    /// The folders in it.
    private static let parts = [runName, journalName, objectsName]

    /// Makes the folder and those in it, each of this user alone.
    static func prepare(_ path: String) throws(FrontServiceError) {
        // The data folder may be one that others may look into; what lies in it is for this user alone.
        do throws(SystemError) { _ = try DirectoryDescriptor(ownedAt: path, tightens: false) } catch {
            throw cannotMake(error)
        }
        try checkParts(path)
        do throws(SystemError) {
            for part in parts { _ = try DirectoryDescriptor(ownedAt: "\(path)/\(part)") }
        } catch {
            throw unusable(error)
        }
    }

    /// Looks at a folder that is there, and changes nothing.
    /// - Throws: what a front that starts there would throw.
    package static func check(_ path: String) throws(FrontServiceError) {
        try checkParts(path)
        do throws(SystemError) {
            let folder = try DirectoryDescriptor(path: path)
            try folder.checkOwned(mayBeTightened: false)
            for part in parts where try folder.status(of: part) != nil {
                try DirectoryDescriptor(path: "\(path)/\(part)").checkOwned(mayBeTightened: true)
            }
        } catch {
            throw unusable(error)
        }
        try checkLock(path)
        if let fault = FileCache.fault(root: FileCache.root(ofFront: path), note: FileCache.note(ofFront: path)) {
            throw FrontServiceError(objectsUnusable, because: fault)
        }
        try checkJournal(path)
    }

    /// Refuses what is no folder in the place of one of the parts, and changes nothing. What a link leads to is used.
    private static func checkParts(_ path: String) throws(FrontServiceError) {
        for part in parts {
            let place = "\(path)/\(part)"
            guard let found = try? DirectoryDescriptor(path: path).status(of: part)?.kind, found != .folder,
                let target = try? OwnedDescriptor(path: place, options: [.read, .withoutWaiting]).status().kind, target != .folder
            else { continue }
            throw FrontServiceError(
                .cannotWrite, "\(place) is \(target == .file ? "a file" : "no folder"), where the front has a folder",
                nextStep: "move it away: mv \(ShellWord.of(place)) /tmp")
        }
    }

    /// The lock file in a data folder.
    static func lock(in folder: String) -> String { "\(folder)/\(lockName)" }

    /// The folder of sockets, address and token in a data folder.
    static func run(in folder: String) -> String { "\(folder)/\(runName)" }

    /// The folder of the journal's files in a data folder.
    static func journal(in folder: String) -> String { "\(folder)/\(journalName)" }

    /// Refuses a folder on which a front works. Another one may begin right after it was asked; then its lock decides.
    /// - Throws: `conflict` with who has locked it.
    package static func checkFree(_ folder: String) throws(FrontServiceError) {
        if let holder = FolderHolder(lock: lock(in: folder)) { throw conflict(on: folder, with: holder) }
    }

    /// A folder that is locked by somebody; nil: who cannot be seen.
    static func conflict(on folder: String, with holder: FolderHolder?) -> FrontServiceError {
        if case .front(let process)? = holder {
            return FrontServiceError(.conflict, "another front (process \(process)) works on \(folder)")
        }
        let lock = lock(in: folder)
        if let (text, nextStep) = holder?.sentence(of: lock) { return FrontServiceError(.conflict, text, nextStep: nextStep) }
        let unseen = "another front works on \(folder), or something that cannot be seen from here"
        return FrontServiceError(.conflict, "\(unseen) has locked \(lock)")
    }

    /// Refuses what is no file in the place of the lock, and changes nothing. A link that leads to no file is refused too: whose lock it would
    /// be is not known.
    /// - Throws: `cannotWrite` with the next step.
    static func checkLock(_ path: String) throws(FrontServiceError) {
        let lock = lock(in: path)
        let found: FileKind?
        do throws(SystemError) { found = try DirectoryDescriptor(path: path).status(of: lockName)?.kind } catch {
            throw unusable(error)
        }
        guard let found, found != .file else { return }
        let target = try? OwnedDescriptor(path: lock, options: [.read, .withoutWaiting]).status().kind
        guard target != .file else { return }
        let what = found == .folder ? "a folder" : target == nil ? "a link that leads to no file" : "no file"
        throw FrontServiceError(
            .cannotWrite, "\(lock) is \(what), where the front locks a file", nextStep: "move it away: mv \(ShellWord.of(lock)) /tmp")
    }

    /// Tries whether a folder can be made in one that is there, since some file systems, like that of `/proc`, let root write and make nothing.
    /// What is made for that is removed at once.
    /// - Parameters:
    ///   - path: the first folder that a front that starts would make there.
    ///   - folder: the folder above it.
    /// - Throws: what that front would throw.
    package static func checkCanMake(_ path: String, in folder: String) throws(FrontServiceError) {
        let trial = ".gantry-trial-\(ProcessControl.currentID)"
        do throws(SystemError) {
            let parent = try DirectoryDescriptor(path: folder)
            try parent.makeFolder(trial)
            try parent.removeFolder(trial)
        } catch {
            guard error.code != .exists else { return }
            throw cannotMake(SystemError(code: error.code, context: "making the folder \(path)"))
        }
    }

    /// What is said of a folder that cannot be used: by a fault that may have passed when the front is started again, or by one that stays.
    static func unusable(_ error: SystemError) -> FrontServiceError {
        FrontServiceError(isUnusable, because: error)
    }

    /// The same of the data folder itself: what is not there is made, and where that cannot be, as in /proc, another start changes nothing.
    private static func cannotMake(_ error: SystemError) -> FrontServiceError {
        var fault = unusable(error)
        if error.code == .notFound { fault.code = .cannotWrite }
        return fault
    }

    private static var isUnusable: String { "the data folder cannot be used" }

    /// What is said of the objects folder in it.
    static var objectsUnusable: String { "the objects folder cannot be used" }

    /// Refuses objects whose journal is away: a front with a new journal would take them for nobody's and remove them.
    /// - Throws: `storage` for a folder that has objects and no journal.
    static func checkJournal(_ path: String) throws(FrontServiceError) {
        do throws(SystemError) {
            let folder = try DirectoryDescriptor(path: path)
            if try folder.status(of: journalName) != nil {
                guard try DirectoryDescriptor(path: journal(in: path)).list().isEmpty else { return }
            }
            guard try hasObjects(path, folder) else { return }
        } catch {
            throw unusable(error)
        }
        let objects = FileCache.root(ofFront: path)
        throw FrontServiceError(
            .storage,
            """
            \(objects) holds objects, but \(journal(in: path)) is empty: put the journal back (is its disk mounted?), or remove \
            \(objects) to begin anew
            """)
    }

    private static func hasObjects(_ path: String, _ folder: borrowing DirectoryDescriptor) throws(SystemError) -> Bool {
        guard try folder.status(of: objectsName) != nil else { return false }
        let root = FileCache.root(ofFront: path)
        let objects = try DirectoryDescriptor(path: root)
        for name in try objects.list() where try objects.status(of: name)?.kind == .folder {
            if try !DirectoryDescriptor(path: "\(root)/\(name)").list().isEmpty { return true }
        }
        return false
    }
}

/// Who keeps a front from a data folder: whoever has locked its lock file.
package enum FolderHolder: Hashable, Sendable {
    /// A front, by the number of its process.
    case front(Int32)
    /// Another program, which a front cannot work beside.
    case other(Int32, commandLine: [String])

    /// The first word after the program's name that a front is started with: the list of processes tells by it what else has locked its file.
    package static let commandName = "front"

    /// Looks for the process that has locked a file, among all that there are. The lock itself is not tried: that could stop a front from starting.
    /// - Returns: nil when nobody has, or nobody who can be seen.
    package init?(lock path: String) {
        guard let process = LockFile.anyHolder(of: path) else { return nil }
        self.init(process: process)
    }

    /// A process that has locked the file of a folder: what it is by the list of processes.
    package init(process: Int32) {
        let words = HostInformation.commandLine(of: process)
        // This process locks the file for a front alone. Of one that may not be seen only the file's word is known.
        let isFront = process == ProcessControl.currentID || words.isEmpty || words.dropFirst().first == Self.commandName
        self = isFront ? .front(process) : .other(process, commandLine: words)
    }

    /// What is said where another program has locked the file, and what helps; nil for a front.
    package func sentence(of path: String) -> (text: String, nextStep: String)? {
        guard case .other(let process, let words) = self else { return nil }
        return (
            "process \(process) (\(Self.shown(words))), which was not started as gantry front, has locked \(path)",
            "see what it is, for it may run a front of its own; then end it, or choose another data folder"
        )
    }

    /// The command line of a process as one line; nil: this user may not see it.
    package static func shownCommand(of process: Int32) -> String? {
        let words = HostInformation.commandLine(of: process)
        return words.isEmpty ? nil : shown(words)
    }

    /// A program's text may have lines of its own, and what a terminal would obey.
    private static func shown(_ words: [String]) -> String {
        let line = words.joined(separator: " ").unicodeScalars.map { $0.properties.generalCategory == .control ? " " : Character($0) }
        return String(line).cut(to: commandByteCount)
    }

    /// So much of a command line is said: its first words tell which program that is, and one of the others may be a whole program's text (`sh -c`).
    private static let commandByteCount = 200
}
