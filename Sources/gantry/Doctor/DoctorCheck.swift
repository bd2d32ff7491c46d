//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Foundation
import FrontService
import GantryFeedSettings
import GantryFileCache
import GantryModel
import GantryPlatform
import GantrySettings
import Journal
import Loaders

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
    ///   - look: what it answers.
    ///   - asked: what a new one would be started with.
    static func all(
        of effective: EffectiveConfiguration, _ front: RunningFront?, _ look: RunningFront.Look, asked: EffectiveConfiguration
    ) -> [DoctorCheck] {
        [
            folder(effective.data.path), journal(effective.data, front), objects(effective.data), room(effective.data.path),
            sockets(effective.endpoints), openFiles(), KillTimerCheck.check(environment: ProcessInfo.processInfo.environment),
            front.map { self.front($0, answers: look.answers, asked) } ?? noFront(effective.data),
        ] + loaders(effective.configuration, offered: look.loaders) + loads(effective.configuration)
    }

    /// The data folder, or the nearest folder above it that exists, can be written, and a front would take it.
    private static func folder(_ path: String) -> DoctorCheck {
        let existing = nearest(path)
        let files = FileManager.default
        let isFolder = (try? URL(fileURLWithPath: existing).resourceValues(forKeys: [.isDirectoryKey]).isDirectory) == true
        guard isFolder, files.isWritableFile(atPath: existing) else {
            let attributes = try? files.attributesOfItem(atPath: existing)
            let isOwn = attributes?[.ownerAccountName] as? String == NSUserName()
            let fault = !isFolder ? "is no folder" : isOwn ? "has no write permission" : "is not a folder of this user"
            return DoctorCheck(
                name: "data folder", state: .bad, detail: "\(path) cannot be written: \(existing) \(fault)",
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
                name: "data folder", state: .bad, detail: error.summary,
                nextStep: error.nextStep.isEmpty ? (isThere ? "mend that, or " : "") + "choose another with --data" : error.nextStep)
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
            name: "objects", state: .warning, detail: "there is a folder where the file of an object belongs: \(first)\(more)",
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
            return DoctorCheck(name: "free space", state: .warning, detail: "not known: the file system does not say")
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

extension DoctorCheck {
    /// Whether somebody offers the loaders of one's own that feeds need.
    /// - Parameter offered: by registered workers; nil: not known.
    static func loaders(_ configuration: GantryConfiguration, offered: Set<String>?) -> [DoctorCheck] {
        configuration.ownLoaders.map { loader in
            let name = "loader \(loader.name)"
            let detail = "needed by feed \(loader.feeds.joined(separator: ", "))"
            guard let offered else {
                return DoctorCheck(
                    name: name, state: .good, detail: "\(detail); a worker of your own has to offer it beside those of gantry up")
            }
            guard !offered.contains(loader.name) else {
                return DoctorCheck(name: name, state: .good, detail: "\(detail); a registered worker offers it")
            }
            return DoctorCheck(
                name: name, state: .warning, detail: "\(detail); no registered worker offers it, so their loads wait",
                nextStep: "start your own worker that offers it")
        }
    }

    /// What in the configuration lets loads fail, or does nothing.
    static func loads(_ configuration: GantryConfiguration) -> [DoctorCheck] {
        let limits = configuration.http
        var checks: [DoctorCheck] = []
        if limits.connectTimeout > limits.totalTimeout {
            checks.append(
                DoctorCheck(
                    name: "http limits", state: .warning, detail: "the time to connect is never used up: the whole load has less",
                    nextStep: "let http.timeout.connect be below http.timeout.total"))
        }
        if configuration.feeds.isEmpty {
            checks.append(DoctorCheck(name: "feeds", state: .good, detail: "none is configured: there are jobs, but nothing to load"))
        }
        return checks + configuration.feeds.flatMap { addresses(of: $0, configuration) + parameters(of: $0) }
    }

    /// Addresses that are written out and would be refused by the workers; a name must be looked up first and is left to the load.
    private static func addresses(of feed: ConfiguredFeed, _ configuration: GantryConfiguration) -> [DoctorCheck] {
        let policy = HTTPPolicy(allow: configuration.allow)
        return feed.addresses.filter { policy.refuses(writtenHost: $0.host, port: $0.port) }.map { address in
            DoctorCheck(
                name: "feed \(feed.definition.name)", state: .warning,
                detail: "\(address.text) is not in http.allow, so every \(address.work.rawValue) fails",
                nextStep: "add it: http: { allow: [\"\(address.text)\"] }")
        }
    }

    /// Parameters that the address does not use: each value is a list of its own, and all of them are loaded alike.
    private static func parameters(of feed: ConfiguredFeed) -> [DoctorCheck] {
        guard let source = feed.settings.httpSource else { return [] }
        let used = source.url.names + (feed.settings.detail?.names ?? [])
        return feed.definition.parameters.filter { !used.contains($0.name) }.map { parameter in
            DoctorCheck(
                name: "feed \(feed.definition.name)", state: .warning, detail: "its address does not use the parameter \(parameter.name)",
                nextStep: "write {\(parameter.name)} where its value belongs in url, or leave the parameter out")
        }
    }
}

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

/// Tries whether the kernel ends a process that has stopped, in a child that is thrown away: without that a worker that hangs would keep its jobs
/// from others.
struct KillTimerCheck {
    /// How long is waited before the child is looked at. It stops at once and the timer runs out after 0.1 s; a busy machine needs longer.
    private static let limit = Duration.seconds(5)
    /// So often it is looked at until it has stopped.
    private static let lookCount = 4

    /// The check, with this program as the child.
    static func check(environment: [String: String]) -> DoctorCheck {
        let arguments = [KillTimerProbe.configuration.commandName ?? ""]
        return check(SpawnRequest(ofThisProgramWith: arguments, environment: environment), limit: limit)
    }

    /// - Parameters:
    ///   - probe: a process that arms a kill timer, then stops itself.
    ///   - limit: how long it may take to end once it has stopped.
    static func check(_ probe: SpawnRequest, limit: Duration) -> DoctorCheck {
        do throws(SystemError) {
            var probe = probe
            probe.standardOutput = .null
            let process = try probe.spawn()
            let end = try ProcessControl.exitDescriptor(of: process)
            var (hasEnded, hasStopped) = (false, false)
            for _ in 0..<lookCount where !hasEnded && !hasStopped {
                hasEnded = try end.waitReadable(upTo: limit)
                hasStopped = hasEnded ? false : try HostInformation.isStopped(process)
            }
            if hasStopped { hasEnded = try end.waitReadable(upTo: limit) }
            if !hasEnded { try ProcessControl.send(.kill, to: process) }
            while try !end.waitReadable(upTo: limit) {}
            let exit = try ProcessControl.reap(process)
            guard hasEnded || hasStopped else { return busy }
            guard hasEnded, exit == .signaled(.kill) else { return broken }
            return DoctorCheck(name: "kill timer", state: .good, detail: "the kernel ends a stopped process")
        } catch {
            return DoctorCheck(
                name: "kill timer", state: .warning, detail: "cannot be tried: \(error)", nextStep: "allow this user one more process")
        }
    }

    private static var busy: DoctorCheck {
        DoctorCheck(
            name: "kill timer", state: .warning, detail: "was not shown in time: the machine is too busy to stop a child",
            nextStep: "repeat this when less runs here")
    }

    private static var broken: DoctorCheck {
        DoctorCheck(
            name: "kill timer", state: .bad,
            detail: "the kernel does not end a stopped process, so a worker that hangs would keep its jobs",
            nextStep: "run workers where timer_create with CLOCK_BOOTTIME works: a Linux kernel of its own, not an emulation of one",
            badStatus: .failed)
    }
}

/// What `doctor` runs as a child that is thrown away: arms a kill timer and stops itself.
struct KillTimerProbe: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kill-timer-probe", abstract: "Stop until the kernel ends it.", shouldDisplay: false)

    func run() throws {
        let timer = try KillTimer()
        try timer.arm(after: .milliseconds(100))
        guard let own = ProcessID(rawValue: ProcessControl.currentID) else { return }
        try ProcessControl.send(.stop, to: own)
        // Another thread may take the signal, and this one runs on for a moment: the timer must outlive it.
        let never = try EventSignal()
        _ = try NumberedDescriptor.waitReadable(never.fileDescriptor, upTo: .seconds(60))
        never.drain()
        try timer.disarm()
    }
}
