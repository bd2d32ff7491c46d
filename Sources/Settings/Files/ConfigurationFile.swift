//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation

/// Finds and reads the file.
public enum ConfigurationFile {
    /// The places in order, each with who named it: `--config`, `GANTRY_CONFIG`, `./gantry.yaml`,
    /// `~/.config/gantry/gantry.yaml`, `/etc/gantry/gantry.yaml`. The first two must exist when given.
    static func places(flag: String?, environment: Environment) -> [(path: String, isRequired: Bool)] {
        if let flag { return [(environment.absolute(flag), true)] }
        if let variable = environment.value("GANTRY_CONFIG") { return [(environment.absolute(variable), true)] }
        return [
            (environment.absolute("gantry.yaml"), false),
            (environment.absolute("~/.config/gantry/gantry.yaml"), false),
            ("/etc/gantry/gantry.yaml", false),
        ]
    }

    /// The first file there is; nil: none, so the built-in sample counts.
    ///
    /// - Throws: `ConfigurationError` when a named file is missing, a found one cannot be read, or its content is wrong.
    public static func load(
        flag: String?, environment: Environment
    ) throws(ConfigurationError) -> (path: String, configuration: GantryConfiguration)? {
        for place in places(flag: flag, environment: environment) {
            guard FileManager.default.fileExists(atPath: place.path) else {
                guard place.isRequired else { continue }
                throw ConfigurationError("there is no such file; give another with --config", path: place.path)
            }
            guard let bytes = FileManager.default.contents(atPath: place.path) else {
                throw ConfigurationError("cannot be read; check that it is a file and that this user may read it", path: place.path)
            }
            guard let text = String(data: bytes, encoding: .utf8) else {
                throw ConfigurationError("is not UTF-8 text", path: place.path)
            }
            do {
                return (place.path, try GantryConfiguration(yaml: text))
            } catch {
                throw ConfigurationError(error.message, line: error.line, path: place.path)
            }
        }
        return nil
    }
}
