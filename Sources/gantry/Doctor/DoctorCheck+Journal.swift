//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Journal
import Settings
import Wire

extension DoctorCheck {
    /// The journal is read as a front that starts reads it, from a copy: nothing is locked or changed. One that a front works on is left alone.
    static func journal(_ data: DataFolder, _ front: RunningFront?) -> DoctorCheck {
        if let front { return inUse(by: front) }
        let scratch: DoctorScratch
        do { scratch = try DoctorScratch() } catch { return notCopied("no folder for a copy can be made: \(error)") }
        do {
            let finding = try JournalCheck.look(at: data.journal, copyingTo: scratch.path) { _ = try WireCodec().decodeFacts($0) }
            switch finding {
            case .missing: return DoctorCheck(name: "journal", state: .good, detail: "none yet")
            case .good: return DoctorCheck(name: "journal", state: .good, detail: "can be read")
            case .endedJobsLost(let bundles):
                return DoctorCheck(
                    name: "journal", state: .warning,
                    detail: "can be read, but for what ended jobs have left in \(bundles) \(bundles == 1 ? "bundle" : "bundles")",
                    nextStep: "check the disk; a front works on, and lists them without loader and result until they are forgotten")
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
