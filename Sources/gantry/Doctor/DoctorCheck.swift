//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FileCache
import Foundation
import FrontService
import Journal
import Model
import Platform
import Settings

/// One thing that gantry needs, looked at without changing anything.
struct DoctorCheck {
    enum State: String {
        case good, warning, bad
    }

    var name: String
    var state: State
    var detail: String
    var nextStep: String?
    /// Bundles of ended jobs that cannot be read.
    var lostBundles: [JournalCheck.LostBundle] = []
    /// What the command ends with when the check is bad.
    var badStatus = ExitStatus.cannotWrite

    /// What the command ends with when the check is bad; nil when it is not.
    var failure: CommandFailure? {
        guard state == .bad else { return nil }
        return CommandFailure(
            badStatus, code: badStatus == .cannotWrite ? .cannotWrite : .checkFailed, message: "\(name): \(detail)",
            nextStep: nextStep ?? "")
    }

    /// Every check, most basic first.
    /// - Parameters:
    ///   - front: the one that runs here; nil: none.
    ///   - answers: whether it answers.
    ///   - asked: what a new one would be started with.
    static func all(
        of effective: EffectiveConfiguration, _ front: RunningFront?, answers: Bool, asked: EffectiveConfiguration
    ) -> [DoctorCheck] {
        [
            folder(effective.data.path), journal(effective.data, front), objects(effective.data), room(effective.data.path),
            sockets(effective.endpoints), openFiles(), KillTimerCheck.check(environment: ProcessInfo.processInfo.environment),
            front.map { self.front($0, answers: answers, asked) } ?? noFront(effective.data),
        ] + loads(effective.configuration)
    }

    /// The data folder, or the nearest folder above it that exists, can be written, and a front would take it.
    private static func folder(_ path: String) -> DoctorCheck {
        let existing = nearest(path)
        let files = FileManager.default
        let isFolder = (try? URL(fileURLWithPath: existing).resourceValues(forKeys: [.isDirectoryKey]).isDirectory) == true
        guard isFolder, files.isWritableFile(atPath: existing) else {
            return DoctorCheck(
                name: "data folder", state: .bad, detail: "\(path) cannot be written: \(existing) is not a folder of this user",
                nextStep: "choose another with --data, or make it writable")
        }
        let isThere = existing == path
        do throws(FrontServiceError) {
            if isThere {
                try FrontFolder.check(path)
            } else {
                try FrontFolder.checkCanMake(firstMissing(path, below: existing), in: existing)
            }
        } catch {
            return DoctorCheck(
                name: "data folder", state: .bad, detail: error.summary, nextStep: isThere ? nil : "choose another with --data")
        }
        return DoctorCheck(name: "data folder", state: .good, detail: isThere ? path : "\(path) (will be made)")
    }

    /// Objects that cannot be, since a folder has the place of their file: nothing of Gantry makes one, or takes it away.
    private static func objects(_ data: DataFolder) -> DoctorCheck {
        let found: [String]
        do throws(FileCacheError) { found = try FileCache.foldersInPlaceOfObjects(at: data.objects) } catch {
            return DoctorCheck(name: "objects", state: .warning, detail: "cannot be looked at: \(error.sentence)")
        }
        guard let first = found.first else { return DoctorCheck(name: "objects", state: .good, detail: data.objects) }
        let more = found.count > 1 ? ", and in \(found.count - 1) more" : ""
        return DoctorCheck(
            name: "objects", state: .warning, detail: "a folder stands where the file of an object belongs: \(first)\(more)",
            nextStep: "move it away, then load what is missing again: mv \(ShellWord.of(first)) /tmp")
    }

    /// The folder that would be made first for a path, in the nearest one that is there.
    private static func firstMissing(_ path: String, below existing: String) -> String {
        let above = existing == "/" ? "" : existing
        return "\(above)/\(path.dropFirst(above.count).split(separator: "/").first ?? "")"
    }

    /// The journal keeps a reserve back for a full disk, and objects need some too.
    private static func room(_ path: String) -> DoctorCheck {
        guard let free = FreeSpace.byteCount(at: nearest(path)) else {
            return DoctorCheck(name: "free space", state: .warning, detail: "the file system does not tell")
        }
        let text = "\(free >> 20) MiB free"
        guard free >= 256 << 20 else {
            // One that runs has its reserve already, and sees no more of the disk than its journal does.
            let reserve = SQLiteJournal.defaultBallastByteCount >> 20
            return DoctorCheck(
                name: "free space", state: .warning, detail: text,
                nextStep: "free some; a front that starts with less than \(reserve) MiB takes no new jobs, one that runs takes them "
                    + "until its journal cannot grow, and loads, sorts and saves fail with storageFull once nothing is left")
        }
        return DoctorCheck(name: "free space", state: .good, detail: text)
    }

    private static func sockets(_ endpoints: Endpoints) -> DoctorCheck {
        if let notice = endpoints.notice { return DoctorCheck(name: "sockets", state: .warning, detail: notice) }
        return DoctorCheck(name: "sockets", state: .good, detail: endpoints.folder ?? endpoints.requests)
    }

    /// A thousand clients need two descriptors each, and some.
    private static func openFiles() -> DoctorCheck {
        do throws(SystemError) {
            let limit = try ResourceLimits.raiseOpenFiles()
            return DoctorCheck(
                name: "open files", state: limit < 4_096 ? .warning : .good, detail: "up to \(limit)",
                nextStep: limit < 4_096 ? "raise the hard limit: ulimit -Hn 65536" : nil)
        } catch {
            return DoctorCheck(name: "open files", state: .warning, detail: "\(error)")
        }
    }

    private static func nearest(_ path: String) -> String {
        var path = path
        // A link to nowhere is there, and no folder can be made in its place.
        while path != "/", (try? FileManager.default.attributesOfItem(atPath: path)) == nil {
            path = URL(fileURLWithPath: path).deletingLastPathComponent().path
        }
        return path
    }
}
