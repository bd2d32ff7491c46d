//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// Why an origin did not start or refused a fault.
public struct OriginError: CodedError {
    /// Kinds of failure; more can come.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The word that programs read.
        public let description: String

        /// Somebody else listens at the port.
        public static let portTaken = Code(description: "portTaken")
        /// A value of a fault is out of its range.
        public static let badFault = Code(description: "badFault")
        /// The system refused to listen there.
        public static let cannotListen = Code(description: "cannotListen")
    }

    /// The kind.
    public let code: Code
    /// What was tried, and what is wrong with it.
    public let context: String
    /// What to do now; empty where the context says it.
    public var nextStep = ""
    /// What the system said.
    public var cause: ErrorCause?
}
