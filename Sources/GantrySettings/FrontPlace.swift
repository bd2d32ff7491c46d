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
    /// `--connect`, else `GANTRY_URL` unless `--data` names a folder, else the data folder of `--data`, `GANTRY_DATA`, the file or the default.
    ///
    /// A target is a data folder (a path), or `tcp://127.0.0.1:7701`, the address of `requests`, with or without `tcp://`; the others follow it by
    /// port.
    ///
    /// - Throws: `ConfigurationError` for a target that is neither or not of this machine.
    package static func endpoints(
        connect: String?, data: DataFolder, environment: Environment
    ) throws(ConfigurationError) -> Endpoints {
        try find(connect: connect, data: data, environment: environment).endpoints
    }

    /// The same with the data folder that the addresses belong to: one that the target names itself, else `data`.
    static func find(
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
