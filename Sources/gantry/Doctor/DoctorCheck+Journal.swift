//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Journal
import Settings

extension DoctorCheck {
    /// The journal is read as a front that starts reads it, from a copy: nothing is locked or changed. One that a front works on is left alone.
    static func journal(_ data: DataFolder, _ front: RunningFront?) -> DoctorCheck {
        if let front { return inUse(by: front) }
        let files = FileManager.default
        let scratch = files.temporaryDirectory.path + "/gantry-doctor-\(UUID().uuidString)"
        defer { try? files.removeItem(atPath: scratch) }
        do {
            try files.createDirectory(
                atPath: scratch, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        } catch {
            return notCopied("\(scratch) cannot be made: \(error.localizedDescription)")
        }
        do throws(JournalError) {
            switch try JournalCheck.look(at: data.journal, copyingTo: scratch) {
            case .missing: return DoctorCheck(name: "journal", state: .good, detail: "none yet")
            case .good: return DoctorCheck(name: "journal", state: .good, detail: "can be read")
            case .notLookedAt(let byteCount):
                return DoctorCheck(
                    name: "journal", state: .good, detail: "\(byteCount >> 20) MiB, too large for a look; a front that starts reads it all")
            case .notCopied(let reason): return notCopied(reason)
            }
        } catch {
            // What a front that has just started is writing cannot be copied whole.
            if let front = RunningFront(data) { return inUse(by: front) }
            return DoctorCheck(name: "journal", state: .bad, detail: "\(error)")
        }
    }

    private static func notCopied(_ reason: String) -> DoctorCheck {
        DoctorCheck(
            name: "journal", state: .warning, detail: "was not looked at: \(reason)",
            nextStep: "let TMPDIR name a folder with room for a copy of it")
    }

    private static func inUse(by front: RunningFront) -> DoctorCheck {
        DoctorCheck(name: "journal", state: .good, detail: "in use by process \(front.process)")
    }
}
