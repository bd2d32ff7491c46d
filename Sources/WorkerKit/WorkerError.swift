//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Why a worker does not run.
public struct WorkerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// A short word.
        public let rawValue: String

        /// Wraps a word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Two loaders have one name, or a name breaks the rule of names.
        public static let badLoaderName = Self(rawValue: "badLoaderName")
        /// The endpoint is neither ipc nor loopback.
        public static let forbiddenEndpoint = Self(rawValue: "forbiddenEndpoint")
        /// The process is the first of its namespace, which the kernel's timer cannot end.
        public static let firstProcess = Self(rawValue: "firstProcess")
        /// The front does not take this worker.
        public static let refused = Self(rawValue: "refused")
        /// A socket or the system failed.
        public static let systemFailed = Self(rawValue: "systemFailed")
    }

    /// The kind of error.
    public let code: Code
    /// What is wrong with what, and the next step.
    public let context: String

    public init(code: Code, context: String) {
        self.code = code
        self.context = context
    }

    /// The context.
    public var description: String { context }
}
