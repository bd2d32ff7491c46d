//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryModel

/// Where a front is found: the one answer for the command line and the library, but for a folder that is named without a slash. Here it is taken
/// if it is there; the library, whose programs may run anywhere, takes one only with a slash.
package struct FrontPlace: Hashable, Sendable {
    /// Its four addresses.
    package var endpoints: Endpoints
    /// The data folder that the addresses belong to, as far as this process can tell; over TCP the token is read there.
    package var data: DataFolder

    /// The file whose content a front that listens on TCP asks for; nil: the sockets of a folder are guarded by the folder itself.
    package var tokenPath: String? { endpoints.folder == nil ? data.token : nil }

    /// The content of that file; empty where none is asked for or it cannot be read, so that the front says what is missing.
    package func readToken() -> [UInt8] { tokenPath.flatMap { FileManager.default.contents(atPath: $0) }.map(Array.init) ?? [] }

    /// The front of an effective configuration.
    package init(_ effective: EffectiveConfiguration) { self.init(endpoints: effective.endpoints, data: effective.data) }

    /// The front that works on a data folder; `~/` is the home folder.
    /// - Throws: `ConfigurationError` for a path that is too long for sockets.
    package init(folder: String, environment: Environment = .process) throws(ConfigurationError) {
        let data = DataFolder(path: environment.absolute(folder), origin: .flag)
        self.init(endpoints: try .serving(data, environment: environment), data: data)
    }

    private init(endpoints: Endpoints, data: DataFolder) { (self.endpoints, self.data) = (endpoints, data) }

    /// The first that is said of: `connect`, `data`, `GANTRY_URL`, `GANTRY_DATA`, `data:` of the configuration file, the default folder
    /// `${XDG_STATE_HOME:-~/.local/state}/gantry`.
    ///
    /// The file is read only when nothing before it says enough, so that a mistake in it keeps nobody from a front that was named; one that
    /// was named must be there all the same.
    /// - Parameters:
    ///   - connect: The value of `--connect`: a data folder, or `tcp://127.0.0.1:7701`, where `tcp://` may be left out.
    ///   - data: The value of `--data`.
    ///   - config: The value of `--config`.
    ///   - environment: The variables, the home folder and the working folder.
    /// - Throws: `ConfigurationError` for a target that is none or not of this machine, for a flag that is empty, for a file that was named
    ///   and is missing, and for a mistake in it.
    package static func find(
        connect: String? = nil, data: String? = nil, config: String? = nil, environment: Environment = .process
    ) throws(ConfigurationError) -> FrontPlace {
        try ConfigurationFile.check(flag: config, environment: environment)
        let isNamed = connect != nil || environment.value("GANTRY_URL") != nil
        guard isNamed || data != nil || environment.value("GANTRY_DATA") != nil else {
            let flags = EffectiveConfiguration.Flags(config: config, data: data)
            let found = try EffectiveConfiguration.load(flags: flags, environment: environment)
            return FrontPlace(endpoints: try .serving(found.data, environment: environment), data: found.data)
        }
        let folder = try DataFolder(flag: data, file: nil, fileFolder: nil, environment: environment)
        let found = try ConnectionTarget.find(connect: connect, data: folder, environment: environment)
        return FrontPlace(endpoints: found.endpoints, data: found.data)
    }
}

extension Environment {
    /// This process's environment.
    package static var process: Environment {
        let information = ProcessInfo.processInfo
        return Environment(
            variables: information.environment, home: information.environment["HOME"] ?? "/",
            workingFolder: FileManager.default.currentDirectoryPath)
    }
}

/// Which front a command talks to.
package enum ConnectionTarget {
    /// The addresses, and the data folder that they belong to: one that the target names itself, else `data`.
    ///
    /// `--connect`, else `GANTRY_URL` unless `--data` names a folder, else the data folder of `--data`, `GANTRY_DATA`, the file or the default.
    ///
    /// A target is a data folder (a path), or `tcp://127.0.0.1:7701`, the address of `requests`, with or without `tcp://`; the others follow it by
    /// port.
    ///
    /// - Throws: `ConfigurationError` for a target that is neither or not of this machine.
    package static func find(
        connect: String?, data: DataFolder, environment: Environment
    ) throws(ConfigurationError) -> (endpoints: Endpoints, data: DataFolder) {
        // A flag counts before the environment.
        guard let written = connect ?? (data.origin == .flag ? nil : environment.value("GANTRY_URL")) else {
            return (try .serving(data, environment: environment), data)
        }
        guard !written.isEmpty else {
            throw ConfigurationError("--connect is empty", nextStep: "give \(Self.form) with --connect, or leave it out")
        }
        let target = SocketAddress.written(written)
        let origin: ValueOrigin = connect == nil ? .environment : .flag
        guard target.contains("://") else {
            let path = environment.absolute(target)
            // A word that is no folder here is a slip of the hand, not a front to wait for.
            guard target.contains("/") || FileManager.default.fileExists(atPath: path) else { throw namesNoFront(target, origin) }
            let named = DataFolder(path: path, origin: origin)
            return (try .serving(named, environment: environment), named)
        }
        if let reason = LocalAddress.refusal(of: target) { throw ConfigurationError(reason) }
        guard let endpoints = Endpoints.tcp(requests: target) else { throw namesNoFront(target, origin) }
        return (endpoints, data)
    }

    /// What names a front.
    private static let form = "the data folder of a front, or tcp://127.0.0.1:7701,"

    private static func namesNoFront(_ target: String, _ origin: ValueOrigin) -> ConfigurationError {
        let place = origin == .flag ? "--connect" : "GANTRY_URL"
        return ConfigurationError("\"\(target)\" names no front", nextStep: "give \(form) with \(place)")
    }
}

/// The four addresses of a front, as ZeroMQ writes them.
package struct Endpoints: Hashable, Sendable {
    /// Longest path of a socket in bytes; the system ends at 107.
    package static let pathByteCountLimit = 100

    /// Requests of clients (ROUTER).
    package var requests: String
    /// Changes for observers (XPUB).
    package var changes: String
    /// Workers (ROUTER).
    package var workers: String
    /// Pages of objects (ROUTER).
    package var pages: String
    /// The folder of the sockets, to be made with mode 0700; nil: TCP.
    package var folder: String?
    /// Something that people should be told, for example that the sockets are elsewhere; nil: nothing.
    package var notice: String?

    /// Addresses made of a beginning and the four names or numbers.
    private init(_ prefix: String, _ ends: [String], folder: String?) {
        (requests, changes, workers, pages) = (prefix + ends[0], prefix + ends[1], prefix + ends[2], prefix + ends[3])
        self.folder = folder
    }

    /// All four, in the order requests, changes, workers, pages.
    package var all: [String] { [requests, changes, workers, pages] }

    /// `tcp://127.0.0.1:7701` to `7704`: requests, changes, workers, pages.
    ///
    /// - Parameter firstPort: The port of `requests`, 1 to 65,532.
    package static func tcp(host: String = "127.0.0.1", firstPort: Int = 7701) -> Endpoints {
        Endpoints("tcp://\(host):", (0..<4).map { String(firstPort + $0) }, folder: nil)
    }

    /// `ipc://DATA/run/…`, or in `$XDG_RUNTIME_DIR` when such a path would be over 100 bytes, with a notice.
    ///
    /// The folder there is named after a hash of the data folder's path, so every process finds the same one.
    ///
    /// - Throws: `ConfigurationError` when neither is short enough.
    package static func ipc(_ data: DataFolder, environment: Environment) throws(ConfigurationError) -> Endpoints {
        let names = ["requests", "changes", "workers", "pages"]
        let longest = names.map(\.utf8.count).max() ?? 0
        if data.run.utf8.count + 1 + longest <= pathByteCountLimit {
            return Endpoints("ipc://\(data.run)/", names, folder: data.run)
        }
        let advice = "choose a shorter data folder (--data, GANTRY_DATA), or a front on TCP (gantry front --tcp)"
        guard let runtime = environment.value("XDG_RUNTIME_DIR") else {
            throw ConfigurationError(
                "the data folder \(data.path) is too long for sockets and XDG_RUNTIME_DIR is not set; \(advice)")
        }
        let hash = String(XXH64.hash(Array(data.path.utf8)), radix: 16)
        let folder = environment.absolute(runtime) + "/gantry-" + hash
        guard folder.utf8.count + 1 + longest <= pathByteCountLimit else {
            throw ConfigurationError("the data folder and XDG_RUNTIME_DIR are both too long for sockets; \(advice)")
        }
        var endpoints = Endpoints("ipc://\(folder)/", names, folder: folder)
        endpoints.notice = "the data folder's path is too long for sockets, they are in \(folder)"
        return endpoints
    }
}

extension Endpoints {
    /// The data folder of the front whose socket for workers this address is; nil: it is elsewhere.
    package static func dataFolder(ofWorkers address: String) -> DataFolder? {
        guard let path = SocketAddress(address)?.path, path.hasSuffix(workersEnd) else { return nil }
        return DataFolder(path: String(path.dropLast(workersEnd.count)), origin: .builtIn)
    }

    /// What that address has behind the folder.
    private static let workersEnd = "/run/workers"

    /// Where the front that works on a data folder is reached: where its file `run/address` says, which a front on TCP writes, else by the
    /// sockets of the folder.
    ///
    /// - Throws: `ConfigurationError` when the folder is too long for sockets.
    package static func serving(_ data: DataFolder, environment: Environment) throws(ConfigurationError) -> Endpoints {
        if let text = FileManager.default.contents(atPath: data.run + "/address"),
            let endpoints = tcp(requests: String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
        {
            return endpoints
        }
        return try .ipc(data, environment: environment)
    }

    /// The four addresses that begin with that of `requests`; nil for one that is not `tcp://` of this machine with a port of 1 to 65,532.
    static func tcp(requests: String) -> Endpoints? {
        guard let address = SocketAddress(requests), address.isLocal, case .tcp(let place) = address, let port = place.port else {
            return nil
        }
        return (1...65_532).contains(port) ? .tcp(host: place.writtenHost, firstPort: port) : nil
    }
}

/// Where a front keeps what it knows. In it: `journal/`, `objects/`, `audit/`, `run/` and `front.lock`, nothing else.
package struct DataFolder: Hashable, Sendable {
    /// Absolute path.
    package var path: String
    /// Who chose it.
    package var origin: ValueOrigin

    /// A folder that is known already.
    package init(path: String, origin: ValueOrigin) {
        self.path = path
        self.origin = origin
    }

    /// `--data`, else `GANTRY_DATA`, else `data:` of the file, else `${XDG_STATE_HOME:-~/.local/state}/gantry`.
    ///
    /// - Parameters:
    ///   - flag: The value of `--data`.
    ///   - file: The value of `data:`.
    ///   - fileFolder: The folder of the file, where its relative paths start.
    /// - Throws: `ConfigurationError` for a flag that is empty: it would mean the working folder, and comes of a variable that is not set.
    package init(flag: String?, file: String?, fileFolder: String?, environment: Environment) throws(ConfigurationError) {
        if let flag {
            guard !flag.isEmpty else { throw ConfigurationError("--data is empty", nextStep: "give a folder with --data, or leave it out") }
            self.init(path: environment.absolute(flag), origin: .flag)
        } else if let variable = environment.value("GANTRY_DATA") {
            self.init(path: environment.absolute(variable), origin: .environment)
        } else if let file {
            self.init(path: environment.absolute(file, from: fileFolder), origin: .file)
        } else {
            let state = environment.value("XDG_STATE_HOME") ?? environment.home + "/.local/state"
            self.init(path: environment.absolute(state + "/gantry"), origin: .builtIn)
        }
    }

    /// The journal's folder.
    package var journal: String { path + "/journal" }
    /// The shared cache's folder.
    package var objects: String { path + "/objects" }
    /// The folder of the records of jobs with limits.
    package var audit: String { path + "/audit" }
    /// The folder of the sockets, mode 0700, when their paths are short enough; of the address and the token of a front on TCP; of what the
    /// front was started with.
    package var run: String { path + "/run" }
    /// What a front that listens on TCP asks of everybody, mode 0600.
    package var token: String { run + "/token" }
    /// The `ConfigurationText` that the front that works here was started with, mode 0600.
    package var startedWith: String { run + "/started-with.json" }
    /// Locked (`flock`) by the front that works here.
    package var lock: String { path + "/front.lock" }
}

/// Where a value comes from: a flag wins over the environment, that over the file, that over the default.
package enum ValueOrigin: String, Hashable, Sendable {
    /// An option of the command line.
    case flag
    /// A variable of the environment.
    case environment
    /// The configuration file.
    case file
    /// Nobody said anything.
    case builtIn = "default"
}

/// What the places depend on besides flags and the file, as a value, so that tests can give their own.
package struct Environment: Hashable, Sendable {
    /// The environment's variables; an empty value counts as missing.
    package var variables: [String: String]
    /// The user's home folder.
    package var home: String
    /// The folder that relative paths of flags and variables start from.
    package var workingFolder: String

    package init(variables: [String: String], home: String, workingFolder: String) {
        self.variables = variables
        self.home = home
        self.workingFolder = workingFolder
    }

    /// A variable's value; nil: missing or empty.
    package func value(_ name: String) -> String? {
        guard let value = variables[name], !value.isEmpty else { return nil }
        return value
    }

    /// The path with `~/` replaced by the home folder, absolute from `folder` (nil: the working folder), without a slash at
    /// its end and without `.` parts.
    package func absolute(_ path: String, from folder: String? = nil) -> String {
        var full = path
        if path == "~" || path.hasPrefix("~/") {
            full = home + path.dropFirst()
        } else if !path.hasPrefix("/") {
            full = (folder ?? workingFolder) + "/" + path
        }
        return "/" + full.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    }
}
