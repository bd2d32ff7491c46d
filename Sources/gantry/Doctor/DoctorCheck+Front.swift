//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontService
import Settings

extension DoctorCheck {
    /// Whether the front that runs here answers, and whether it was started with what a new one would be started with.
    static func front(_ front: RunningFront, answers: Bool, _ asked: EffectiveConfiguration) -> DoctorCheck {
        guard answers else {
            let (reason, nextStep) = front.silence
            return DoctorCheck(name: "front", state: .warning, detail: "process \(front.process) \(reason)", nextStep: nextStep)
        }
        let text = "runs as process \(front.process)"
        guard let effective = front.effective else {
            return warning(
                "\(text), and what it was started with is not known: the values above are what a new one would be started with",
                front.isVisible ? "restore its file, or end the front and start it again" : "look as the user who has started it")
        }
        if let file = effective.file, let (detail, nextStep) = change(of: file, from: effective) {
            return warning("\(text), and \(detail)", nextStep)
        }
        guard let file = asked.file, file != effective.file else { return DoctorCheck(name: "front", state: .good, detail: text) }
        return warning(
            "\(text) with \(effective.file ?? "the built-in sample"), not with \(file); the values above are its own",
            "to use \(file), end gantry up and start it again with it")
    }

    /// No front works on the folder; whether one could.
    static func noFront(_ data: DataFolder) -> DoctorCheck {
        guard let (text, nextStep) = FolderHolder(lock: data.lock)?.sentence(of: data.lock) else {
            return DoctorCheck(name: "front", state: .good, detail: "does not run here")
        }
        return warning("does not run here, and could not: \(text)", nextStep)
    }

    private static func warning(_ detail: String, _ nextStep: String) -> DoctorCheck {
        DoctorCheck(name: "front", state: .warning, detail: detail, nextStep: nextStep)
    }

    /// What has become of the file that a running front was started with, and what helps; nil: it still says the same.
    private static func change(of file: String, from effective: EffectiveConfiguration) -> (detail: String, nextStep: String)? {
        let shown = "the values above are those it was started with"
        do throws(ConfigurationError) {
            let now = try ConfigurationFile.read(flag: file, environment: .process)
            guard try now?.parsed() != effective.configuration else { return nil }
            let nextStep = "end gantry up and start it again: a running front does not read the file anew"
            return ("\(file) has changed since; \(shown)", nextStep)
        } catch {
            let nextStep = "restore the file, or correct it: gantry up reads it when it starts"
            return ("it could not be started again: \(error); \(shown)", nextStep)
        }
    }
}
