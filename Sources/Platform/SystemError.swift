//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A system call that could not be done.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, as the system's error number.
    public let code: SystemErrorCode
    /// What was being done, to what, and the next step.
    public let context: String

    /// Makes an error from a code and a text that names the thing and the next step.
    public init(code: SystemErrorCode, context: String) {
        self.code = code
        self.context = context
    }

    /// The context followed by the system's words for the code.
    public var description: String {
        "\(context): \(code.message) (\(code.rawValue))"
    }
}
