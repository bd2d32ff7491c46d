//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A system call that could not be done.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, as the system's error number.
    public let code: SystemErrorCode
    /// What was being done, to what.
    public let context: String
    /// What to do now, often a command to type; empty where nothing is known.
    public let nextStep: String

    /// Nothing lies beneath: the code is the kernel's own.
    public var cause: Never? { nil }

    /// Makes an error from a code and a text that names the thing.
    public init(code: SystemErrorCode, context: String, nextStep: String = "") {
        self.code = code
        self.context = context
        self.nextStep = nextStep
    }

    /// The context followed by the system's words for the code, or by the next step where it is known: no call has failed then, and a
    /// command at the end can be copied.
    public var description: String {
        nextStep.isEmpty ? "\(context): \(code.message) (\(code.rawValue))" : "\(context); \(nextStep)"
    }
}
