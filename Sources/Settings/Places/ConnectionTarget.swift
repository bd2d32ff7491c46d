//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Model

/// Which front a command talks to.
public enum ConnectionTarget {
    /// `--connect`, else `GANTRY_URL` unless `--data` names a folder, else the data folder of `--data`, `GANTRY_DATA`, the file or the default.
    ///
    /// A target is a data folder (a path), or `tcp://127.0.0.1:7701`, the address of `requests`; the others follow it by port.
    ///
    /// - Throws: `ConfigurationError` for a target that is neither or not of this machine.
    public static func endpoints(
        connect: String?, data: DataFolder, environment: Environment
    ) throws(ConfigurationError) -> Endpoints {
        try find(connect: connect, data: data, environment: environment).endpoints
    }

    /// The same with the data folder that the addresses belong to: one that the target names itself, else `data`.
    static func find(
        connect: String?, data: DataFolder, environment: Environment
    ) throws(ConfigurationError) -> (endpoints: Endpoints, data: DataFolder) {
        // A flag counts before the environment.
        guard let target = connect ?? (data.origin == .flag ? nil : environment.value("GANTRY_URL")) else {
            return (try .serving(data, environment: environment), data)
        }
        guard !target.isEmpty else {
            throw ConfigurationError("--connect is empty", nextStep: "give \(Self.form) with --connect, or leave it out")
        }
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
