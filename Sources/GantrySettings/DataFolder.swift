//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

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
