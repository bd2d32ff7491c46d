//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What the places depend on besides flags and the file, as a value, so that tests can give their own.
public struct Environment: Hashable, Sendable {
    /// The environment's variables; an empty value counts as missing.
    public var variables: [String: String]
    /// The user's home folder.
    public var home: String
    /// The folder that relative paths of flags and variables start from.
    public var workingFolder: String

    public init(variables: [String: String], home: String, workingFolder: String) {
        self.variables = variables
        self.home = home
        self.workingFolder = workingFolder
    }

    /// A variable's value; nil: missing or empty.
    public func value(_ name: String) -> String? {
        guard let value = variables[name], !value.isEmpty else { return nil }
        return value
    }

    /// The path with `~/` replaced by the home folder, absolute from `folder` (nil: the working folder), without a slash at
    /// its end and without `.` parts.
    public func absolute(_ path: String, from folder: String? = nil) -> String {
        var full = path
        if path == "~" || path.hasPrefix("~/") {
            full = home + path.dropFirst()
        } else if !path.hasPrefix("/") {
            full = (folder ?? workingFolder) + "/" + path
        }
        return "/" + full.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    }
}
