//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import FrontCore
import FrontService
import GantryModel
import GantryPlatform
import GantrySettings
import GantryWire
import Journal
import StateFormatting

extension DoctorCheck {
    /// The journal is read as a front that starts reads it, from a copy: nothing is locked or changed.
    static func journal(_ data: DataFolder, _ front: RunningFront?) -> DoctorCheck {
        if let front { return beside(front, data) }
        do {
            switch try look(at: data) {
            case .missing: return DoctorCheck(name: "journal", state: .good, detail: "none yet")
            case .good: return held(data) ?? withoutMark(data) ?? DoctorCheck(name: "journal", state: .good, detail: "can be read")
            case .endedJobsLost(let bundles): return endedJobsLost(bundles, "can be read")
            case .notLookedAt(let byteCount):
                return DoctorCheck(
                    name: "journal", state: .good, detail: "\(byteCount >> 20) MiB, too large for a look; a front that starts reads it all")
            case .notCopied(let reason): return notCopied(reason)
            }
        } catch {
            // What a front that has just started is writing cannot be copied whole.
            if let front = RunningFront(data) { return inUse(by: front) }
            // The check has its name already, and the finding says what to do.
            return DoctorCheck(
                name: "journal", state: .bad, detail: (error as? JournalError).map { "\($0.path): \($0.sentence)" } ?? "\(error)")
        }
    }

    /// A journal that can be read, and that another program has locked; nil: none has.
    private static func held(_ data: DataFolder) -> DoctorCheck? {
        let file = data.journal + "/journal.sqlite"
        guard let process = LockFile.recordHolder(of: file), process != ProcessControl.currentID else { return nil }
        let command = FolderHolder.shownCommand(of: process).map { " (\($0))" } ?? ""
        return DoctorCheck(
            name: "journal", state: .warning,
            detail: "process \(process)\(command) has \(file) open: a front that starts waits 10 s for it, then ends with code 3",
            nextStep: "end that process, or let it finish, before a front is started")
    }

    /// A journal that can be read, while nobody knows what was acknowledged; nil: that is known, or was never noted.
    private static func withoutMark(_ data: DataFolder) -> DoctorCheck? {
        JournalCheck.damagedMark(at: data.journal).map { path in
            DoctorCheck(
                name: "journal", state: .warning,
                detail: "can be read, but \(path) is damaged: if the journal has lost its last turns, that cannot be detected",
                nextStep: "check the disk; a front that starts works on and writes that file anew")
        }
    }

    private static func look(at data: DataFolder) throws -> JournalCheck.Finding {
        let scratch: DoctorScratch
        do { scratch = try DoctorScratch() } catch { return .notCopied("no folder for a copy can be made: \(error)") }
        var machine = makeReader()
        return try JournalCheck.look(at: data.journal, copyingTo: scratch.path, decode: WireCodec().decodeEntries) { entries, row in
            try machine.restore(entries, turn: row.turn, isSlice: row.isSlice)
        }
    }

    /// A machine that only takes rows: it never begins to serve.
    private static func makeReader() -> FrontMachine {
        FrontMachine(
            settings: FrontSettings(front: .none, epoch: .none, sessionKey: SessionKey(0, 0)),
            now: FrontTime(monotonic: MonotonicTime(nanoseconds: 0), wall: WallTime(milliseconds: 0)))
    }

    /// A journal that a front writes meanwhile: a copy may have parts of two moments. A bundle is written once, so one that is damaged in two copies
    /// is damaged; what else is found says nothing.
    private static func beside(_ front: RunningFront, _ data: DataFolder) -> DoctorCheck {
        switch try? look(at: data) {
        case .endedJobsLost(let first)?:
            guard case .endedJobsLost(let second)? = try? look(at: data) else { break }
            let lost = second.filter { first.contains($0) }
            if !lost.isEmpty { return endedJobsLost(lost, "in use by process \(front.process)") }
        case .notLookedAt(let byteCount)?:
            return inUse(by: front, "; \(byteCount >> 20) MiB, too large for a look at what ended jobs have left")
        case .notCopied(let reason)?: return inUse(by: front, "; what ended jobs have left was not looked at: \(reason)")
        case .missing?, .good?, nil: break
        }
        return inUse(by: front)
    }

    /// Bundles that are named; a damaged disk may have taken thousands.
    private static let shownBundles = 8

    private static func endedJobsLost(_ bundles: [JournalCheck.LostBundle], _ state: String) -> DoctorCheck {
        let shown = bundles.prefix(shownBundles).map { bundle in
            "bundle \(bundle.number) (\(counted(bundle.jobCount, "job")), \(bundle.jobs.lowerBound) to \(bundle.jobs.upperBound))"
        }
        let more = bundles.count > shownBundles ? ", and \(bundles.count - shownBundles) more" : ""
        var check = DoctorCheck(
            name: "journal", state: .warning,
            detail: "\(state), but not what ended jobs have left in \(shown.joined(separator: ", "))\(more): how each ended is known, "
                + "its loader, argument, result and failure are lost",
            nextStep: "check the disk; a front works on, refuses to explain these jobs and lists them as they ended until they are "
                + "forgotten. Submit again those whose result is needed")
        check.lostBundles = bundles
        return check
    }

    private static func notCopied(_ reason: String) -> DoctorCheck {
        DoctorCheck(
            name: "journal", state: .warning, detail: "was not looked at: \(reason)",
            nextStep: "let TMPDIR name a folder with room for a copy of it")
    }

    private static func inUse(by front: RunningFront, _ more: String = "") -> DoctorCheck {
        DoctorCheck(name: "journal", state: .good, detail: "in use by process \(front.process)\(more)")
    }
}

/// A folder for the copy of a journal, of this user alone. It goes with this value and with Ctrl-C; what a doctor that was killed has left goes
/// with the next one.
struct DoctorScratch: ~Copyable {
    static let prefix = "gantry-doctor-"
    /// Held for as long as the folder is used: a process number would not tell, for another container may have the same folder.
    static let lockName = "lock"

    let path: String
    private let lock: LockFile
    private let signals: SignalTaker

    /// Makes it below `parent`.
    /// - Parameter exit: ends the process with a code.
    init(
        in parent: String = FileManager.default.temporaryDirectory.path,
        exit: @escaping @Sendable (Int32) -> Void = { ProcessControl.exitImmediately(code: $0) }
    ) throws {
        Self.removeLeftOvers(in: parent)
        let path = "\(parent)/\(Self.prefix)\(UUID().uuidString)"
        let signals = try SignalTaker { signal in
            Self.remove(path)
            exit(signal.exitCode)
        }
        lock = try Self.make(path)
        (self.path, self.signals) = (path, signals)
    }

    private static func make(_ path: String) throws -> LockFile {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        do { return try LockFile(path: "\(path)/\(lockName)") } catch {
            remove(path)
            throw error
        }
    }

    deinit {
        Self.remove(path)
        signals.leave()
    }

    /// What is being copied meanwhile may come while the folder is emptied: a file at a time, and a journal has few.
    private static func remove(_ path: String) {
        for _ in 0..<8 where FileManager.default.fileExists(atPath: path) { try? FileManager.default.removeItem(atPath: path) }
    }

    private static func removeLeftOvers(in parent: String) {
        let files = FileManager.default
        for name in (try? files.contentsOfDirectory(atPath: parent)) ?? [] where name.hasPrefix(prefix) {
            let path = "\(parent)/\(name)"
            // In a folder that all may write, a name may be somebody else's trap.
            guard let found = try? files.attributesOfItem(atPath: path), found[.type] as? FileAttributeType == .typeDirectory,
                (found[.ownerAccountID] as? NSNumber)?.uint32Value == ProcessControl.userID,
                let lock = try? LockFile(path: "\(path)/\(lockName)")
            else { continue }
            remove(path)
            lock.unlock()
        }
    }
}
