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

    /// Looks whether the file that a flag names is there, without reading it.
    ///
    /// - Throws: `ConfigurationError` when it is missing, or the flag is empty: it comes of a variable that is not set.
    static func check(flag: String?, environment: Environment) throws(ConfigurationError) {
        guard let flag else { return }
        guard !flag.isEmpty else { throw ConfigurationError("--config is empty", nextStep: "give a file with --config, or leave it out") }
        let path = environment.absolute(flag)
        guard FileManager.default.fileExists(atPath: path) else { throw missing(path) }
    }

    private static func missing(_ path: String) -> ConfigurationError {
        ConfigurationError("there is no such file; give another with --config", path: path, code: .missing)
    }

    /// The first file there is; nil: none, so the built-in sample counts.
    ///
    /// - Throws: `ConfigurationError` when a named file is missing, the flag is empty, or a found one cannot be read.
    public static func read(flag: String?, environment: Environment) throws(ConfigurationError) -> ConfigurationText? {
        try check(flag: flag, environment: environment)
        for place in places(flag: flag, environment: environment) {
            guard FileManager.default.fileExists(atPath: place.path) else {
                guard place.isRequired else { continue }
                throw missing(place.path)
            }
            guard let bytes = FileManager.default.contents(atPath: place.path) else {
                throw ConfigurationError("cannot be read; check that it is a file and that this user may read it", path: place.path)
            }
            guard let text = String(data: bytes, encoding: .utf8) else {
                throw ConfigurationError("is not UTF-8 text", path: place.path)
            }
            return ConfigurationText(file: place.path, text: text)
        }
        return nil
    }
}
