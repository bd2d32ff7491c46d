//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation

/// Where a front is found: the one answer for the command line and the library.
public struct FrontPlace: Hashable, Sendable {
    /// Its four addresses.
    public var endpoints: Endpoints
    /// The data folder that the addresses belong to, as far as this process can tell; over TCP the token is read there.
    public var data: DataFolder

    /// The file whose content a front that listens on TCP asks for; nil: the sockets of a folder are guarded by the folder itself.
    public var tokenPath: String? { endpoints.folder == nil ? data.token : nil }

    /// The content of that file; empty where none is asked for or it cannot be read, so that the front says what is missing.
    public func readToken() -> [UInt8] { tokenPath.flatMap { FileManager.default.contents(atPath: $0) }.map(Array.init) ?? [] }

    /// The front of an effective configuration.
    public init(_ effective: EffectiveConfiguration) { self.init(endpoints: effective.endpoints, data: effective.data) }

    private init(endpoints: Endpoints, data: DataFolder) { (self.endpoints, self.data) = (endpoints, data) }

    /// The first that is said of: `connect`, `data`, `GANTRY_URL`, `GANTRY_DATA`, `data:` of the configuration file, the default folder
    /// `${XDG_STATE_HOME:-~/.local/state}/gantry`.
    ///
    /// The file is read only when nothing before it says enough, so that a mistake in it keeps nobody from a front that was named; one that
    /// was named must be there all the same.
    /// - Parameters:
    ///   - connect: The value of `--connect`: a data folder, or `tcp://127.0.0.1:7701`.
    ///   - data: The value of `--data`.
    ///   - config: The value of `--config`.
    ///   - environment: The variables, the home folder and the working folder.
    /// - Throws: `ConfigurationError` for a target that is none or not of this machine, for a flag that is empty, for a file that was named
    ///   and is missing, and for a mistake in it.
    public static func find(
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
    public static var process: Environment {
        let information = ProcessInfo.processInfo
        return Environment(
            variables: information.environment, home: information.environment["HOME"] ?? "/",
            workingFolder: FileManager.default.currentDirectoryPath)
    }
}
