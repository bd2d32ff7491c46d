//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Foundation
import FrontService
import GantryClient
import GantryModel
import GantryPlatform
import GantrySettings

/// The front that works on a data folder now: its process, and what it was started with.
struct RunningFront {
    /// Its number.
    let process: Int32
    /// Its configuration; nil when another user runs it, or it could not note what it was started with and its file has gone.
    let effective: EffectiveConfiguration?
    /// Whether this user may see how it was started.
    var isVisible: Bool { FileManager.default.contents(atPath: "/proc/\(process)/environ") != nil }

    /// Looks for the process that holds the lock: only at the one that the file names, for a front writes its number there, and each command of a
    /// client that finds none comes here.
    init?(_ data: DataFolder) {
        guard let process = LockFile.holder(of: data.lock), case .front = FolderHolder(process: process) else { return nil }
        self.process = process
        // Its file may say something else by now, or be gone.
        let noted = FileManager.default.contents(atPath: data.startedWith)
        effective = Self.configuration(of: process, noted.flatMap { try? JSONDecoder().decode(ConfigurationText.self, from: $0) })
    }

    /// Why it may not answer and what helps, as `doctor` says it.
    var silence: (reason: String, nextStep: String) {
        // One that has ended meanwhile is not stopped.
        let isStopped = ProcessID(rawValue: process).flatMap { try? HostInformation.isStopped($0) } ?? false
        guard isStopped else {
            if let socket, !FileManager.default.fileExists(atPath: socket) {
                return ("does not answer: its socket \(socket) is gone", "end it, and start it again: kill \(process)")
            }
            return ("does not answer: its disk may be full or stand still", "free some space, and look at its log")
        }
        return ("is stopped by a signal", "let it go on: kill -CONT \(process)")
    }

    /// Where it takes requests, unless it listens to TCP.
    private var socket: String? { effective?.endpoints.folder.map { "\($0)/requests" } }

    /// What a look at a front finds.
    struct Look {
        /// Whether it answers within a while; one that refuses does.
        var answers = false
        /// What its registered workers offer; nil: it was not asked, or does not say.
        var loaders: Set<String>?
    }

    /// Looks whether it answers, and what its workers offer where a feed needs to know.
    func look(at effective: EffectiveConfiguration) async -> Look {
        var options = ClientOptions(command: "doctor")
        options.connectTimeout = .seconds(3)
        options.token = FrontPlace(effective).readToken()
        do throws(ClientError) {
            let client = try await GantryClient(connect: Endpoint(address: effective.endpoints.requests), options: options)
            var look = Look(answers: true)
            if !effective.configuration.ownLoaders.isEmpty {
                look.loaders = (try? await client.current(.workers).workers).map { Set($0.flatMap(\.loaders)) }
            }
            await client.close()
            return look
        } catch {
            return Look(answers: error.code != .notConnected)
        }
    }

    private static func configuration(of process: Int32, _ noted: ConfigurationText?) -> EffectiveConfiguration? {
        let words = ProcessEnvironment.texts("/proc/\(process)/cmdline")
        guard words.count > 1, words[1] == FolderHolder.commandName else { return nil }
        guard let options = try? FrontServiceOptions.parse(ReadinessOptions.removed(from: Array(words.dropFirst(2)))) else { return nil }
        guard let environment = ProcessEnvironment.of(process) else { return nil }
        return try? options.load(read: noted, environment: environment)
    }
}

/// What a process was started with, as the kernel shows it to its user.
enum ProcessEnvironment {
    /// Its variables, home and working folder; nil: this user may not look, or it has ended.
    static func of(_ process: Int32) -> GantrySettings.Environment? {
        guard let folder = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/cwd") else { return nil }
        var variables: [String: String] = [:]
        for text in texts("/proc/\(process)/environ") {
            guard let sign = text.firstIndex(of: "=") else { continue }
            variables[String(text[..<sign])] = String(text[text.index(after: sign)...])
        }
        return GantrySettings.Environment(variables: variables, home: variables["HOME"] ?? "/", workingFolder: folder)
    }

    /// Texts that each end with a zero byte.
    static func texts(_ path: String) -> [String] {
        (FileManager.default.contents(atPath: path) ?? Data()).split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }
}

extension FrontPlace {
    /// The data folder of the front itself, as far as its sockets tell: one that was named by its folder need not be that of `data`.
    var folder: DataFolder {
        guard let folder = endpoints.folder, folder != data.run, folder.hasSuffix("/run") else { return data }
        return DataFolder(path: String(folder.dropLast("/run".count)), origin: data.origin)
    }

    /// Where this user is kept from the front, if it has one here: the first folder on the way to its sockets that may not be entered, or the socket
    /// that may not be connected to, and the name of its owner; nil: nothing keeps it out.
    func barrier(_ access: FileAccess = .ofThisProcess) -> (path: String, owner: String)? {
        guard let sockets = endpoints.folder else { return nil }
        var path = ""
        for part in sockets.split(separator: "/") {
            path += "/\(part)"
            guard access.isThere(path) else { return nil }
            guard access.mayEnter(path) else { return (path, access.owner(path)) }
        }
        let socket = path + "/requests"
        return access.isThere(socket) && !access.mayWrite(socket) ? (socket, access.owner(socket)) : nil
    }

    /// Why no front can answer here, nor one that is just starting: its folder is not there, is none, or has never had a front, which before all else
    /// makes a lock file that stays; a copy may lack that and have a journal. Mostly the name is a slip of the hand. nil: one may answer, or this user may not look.
    var lack: String? {
        guard let sockets = endpoints.folder, !FileManager.default.fileExists(atPath: sockets) else { return nil }
        let path = folder.path
        do throws(SystemError) {
            _ = try DirectoryDescriptor(path: path)
        } catch {
            switch error.code {
            case .notFound: return "there is no folder \(path)"
            case .notAFolder: return "\(path) is no folder"
            default: return nil
            }
        }
        // Of a folder that may not be looked into, nothing is known.
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else { return nil }
        return names.contains { [folder.lock, folder.journal].contains("\(path)/\($0)") } ? nil : "no front has ever worked in \(path)"
    }
}

/// What a user may do with files. A test gives its own, for nothing keeps root out.
struct FileAccess: Sendable {
    var isThere: @Sendable (String) -> Bool
    var mayEnter: @Sendable (String) -> Bool
    var mayWrite: @Sendable (String) -> Bool
    /// The name of the owner, or the number of one without a name.
    var owner: @Sendable (String) -> String

    static let ofThisProcess = FileAccess(
        isThere: { FileManager.default.fileExists(atPath: $0) },
        mayEnter: { path in
            // What is no folder keeps nobody out: there is nothing behind it.
            guard attributes(path)?[.type] as? FileAttributeType == .typeDirectory else { return true }
            return FileManager.default.isExecutableFile(atPath: path)
        },
        mayWrite: { FileManager.default.isWritableFile(atPath: $0) },
        owner: { path in
            let found = attributes(path)
            return found?[.ownerAccountName] as? String ?? (found?[.ownerAccountID] as? NSNumber)?.stringValue ?? "another user"
        })

    /// Of a link, those of what it leads to.
    private static func attributes(_ path: String) -> [FileAttributeKey: Any]? {
        try? FileManager.default.attributesOfItem(atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path)
    }
}

/// What decides where a front works and how: the command has it, and whoever reads the command line of a front that runs.
struct FrontServiceOptions: ParsableArguments {
    @OptionGroup var places: PlaceOptions
    @Flag(name: .long, help: "Listen at 127.0.0.1:7701-7704 instead of sockets in the data folder.")
    var tcp = false
    @Option(name: .long, help: "full: accepted jobs survive a power cut and the end of the front. memory: neither.")
    var durability = DurabilityOption.full
    @Option(name: .long, help: .hidden)
    var sampleOriginPort: Int?

    /// The effective configuration.
    /// - Parameter read: What was read already; nil: the file is looked for.
    func load(read: ConfigurationText?, environment: GantrySettings.Environment = .process) throws(ConfigurationError)
        -> EffectiveConfiguration
    {
        try places.load(tcp: tcp, sampleOriginPort: sampleOriginPort, read: read, environment: environment)
    }
}

/// The value of `--durability`.
enum DurabilityOption: String, ExpressibleByArgument, CaseIterable {
    case full, memory
}
