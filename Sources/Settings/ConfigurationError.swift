//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// What is wrong with a configuration, where, and what to do; exit code 78.
public struct ConfigurationError: CodedError {
    /// Kinds of mistakes; more may come.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The word that programs read.
        public let description: String

        /// A key or a value is none, or does not fit another.
        public static let invalid = Self(description: "invalid")
        /// The text is not YAML, or more of it than a configuration needs.
        public static let syntax = Self(description: "syntax")
        /// A file that was named is not there.
        public static let missing = Self(description: "missing")
    }

    /// The kind of mistake.
    public var code: Code
    /// The file; nil: not from a file.
    public var path: String?
    /// Line in the file from 1; nil: the file as a whole.
    public var line: Int?
    /// What is wrong, and the next step where `nextStep` does not say it; one sentence each.
    public var context: String
    /// What to do; empty: correct it, then look with `gantry doctor`, which does not know every place.
    public var nextStep: String
    /// What the reader of the text, or the system, said.
    public var cause: ErrorCause?

    public init(
        _ context: String, line: Int? = nil, path: String? = nil, nextStep: String = "", code: Code = .invalid, cause: ErrorCause? = nil
    ) {
        self.code = code
        self.context = context
        self.line = line
        self.path = path
        self.nextStep = nextStep
        self.cause = cause
    }

    /// What is wrong and where, without the next step: `gantry.yaml:12: unknown key "feed"; did you mean "feeds"?`
    public var description: String {
        let place = [path, line.map(String.init)].compactMap { $0 }.joined(separator: ":")
        return place.isEmpty ? summary : place + ": " + summary
    }
}
