//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Why an origin did not start or refused a fault.
public struct OriginError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Kinds of failure; more can come.
    public struct Code: Hashable, Sendable {
        private let name: String

        /// Somebody else listens at the port.
        public static let portTaken = Code(name: "portTaken")
        /// A value of a fault is out of its range.
        public static let badFault = Code(name: "badFault")
        /// The system refused to listen there.
        public static let cannotListen = Code(name: "cannotListen")
    }

    /// The kind.
    public let code: Code
    /// What was tried, what went wrong, and the next step.
    public let message: String

    public var description: String { message }
}
