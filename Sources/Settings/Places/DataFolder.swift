//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Where a front keeps what it knows. In it: `journal/`, `objects/`, `run/` and `front.lock`, nothing else.
public struct DataFolder: Hashable, Sendable {
    /// Absolute path.
    public var path: String
    /// Who chose it.
    public var origin: ValueOrigin

    /// A folder that is known already.
    public init(path: String, origin: ValueOrigin) {
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
    public init(flag: String?, file: String?, fileFolder: String?, environment: Environment) throws(ConfigurationError) {
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
    public var journal: String { path + "/journal" }
    /// The shared cache's folder.
    public var objects: String { path + "/objects" }
    /// The folder of the sockets, mode 0700, when their paths are short enough; of the address and the token of a front on TCP; of what the
    /// front was started with.
    public var run: String { path + "/run" }
    /// What a front that listens on TCP asks of everybody, mode 0600.
    public var token: String { run + "/token" }
    /// The `ConfigurationText` that the front that works here was started with, mode 0600.
    public var startedWith: String { run + "/started-with.json" }
    /// Locked (`flock`) by the front that works here.
    public var lock: String { path + "/front.lock" }
}
