//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// An error that lies beneath another, as a value: what it was caught as belongs to a module that nobody above needs to know.
public struct ErrorCause: Hashable, Sendable, CustomStringConvertible {
    /// Its code, a word or the number of a system call's error; empty: it has none.
    public let code: String
    /// What people read of it, with all that lies beneath it.
    public let text: String
    /// None or one: a value cannot hold itself.
    private let beneath: [ErrorCause]

    /// A cause in words of one's own.
    public init(code: String, text: String, cause: ErrorCause? = nil) {
        self.code = code
        self.text = text
        beneath = cause.map { [$0] } ?? []
    }

    /// What was caught.
    /// - Parameter code: of an error that is none of ours, or of one of a system call.
    public init(_ error: any Error, code: String = "") {
        if let error = error as? any CodedError {
            self.init(code: error.code.description, text: error.description, cause: error.cause)
        } else {
            self.init(code: code, text: "\(error)")
        }
    }

    /// What lies beneath it.
    public var cause: ErrorCause? { beneath.first }

    public var description: String { text }
}
