//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Which front a command talks to.
public enum ConnectionTarget {
    /// `--connect`, else `GANTRY_URL`, else the data folder of `--data`, `GANTRY_DATA`, the file or the default.
    ///
    /// A target is a data folder (a path), or `tcp://127.0.0.1:7701`, the address of `requests`; the others follow it by port.
    ///
    /// - Throws: `ConfigurationError` for a target that is neither or not of this machine.
    public static func endpoints(
        connect: String?, data: DataFolder, environment: Environment
    ) throws(ConfigurationError) -> Endpoints {
        guard let target = connect ?? environment.value("GANTRY_URL") else {
            return try .ipc(data, environment: environment)
        }
        let origin: ValueOrigin = connect == nil ? .environment : .flag
        guard let scheme = target.firstRange(of: "://") else {
            return try .ipc(DataFolder(path: environment.absolute(target), origin: origin), environment: environment)
        }
        if let reason = Endpoints.refusal(of: target) { throw ConfigurationError(reason) }
        guard target[..<scheme.lowerBound] == "tcp", let colon = target.lastIndex(of: ":"),
            let port = Int(target[target.index(after: colon)...]), (1...65_532).contains(port)
        else {
            throw ConfigurationError("\"\(target)\" names no front: give its data folder or tcp://127.0.0.1:7701")
        }
        return .tcp(host: String(target[scheme.upperBound..<colon]), firstPort: port)
    }
}
