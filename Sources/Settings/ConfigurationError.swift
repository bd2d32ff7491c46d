//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What is wrong with a configuration, where, and what to do; exit code 78.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file; nil: not from a file.
    public var path: String?
    /// Line in the file from 1; nil: the file as a whole.
    public var line: Int?
    /// What is wrong, and the next step where `nextStep` does not say it; one sentence each.
    public var message: String
    /// What to do; nil: correct it, then look with `gantry doctor`, which does not know every place.
    public var nextStep: String?

    public init(_ message: String, line: Int? = nil, path: String? = nil, nextStep: String? = nil) {
        self.message = message
        self.line = line
        self.path = path
        self.nextStep = nextStep
    }

    /// `gantry.yaml:12: unknown key "feed"; did you mean "feeds"?`
    public var description: String {
        let place = [path, line.map(String.init)].compactMap { $0 }.joined(separator: ":")
        return place.isEmpty ? message : place + ": " + message
    }
}
