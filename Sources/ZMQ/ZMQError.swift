//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A ZeroMQ call that could not be done.
///
/// Expected outcomes (nothing to receive, a full queue, an unknown peer) are results, never this error. Two errors are
/// equal when all their parts are.
public struct ZMQError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, as the error number of libzmq.
    public let code: ZMQErrorCode
    /// What was being done, to what, with which limit, and the next step where one is known.
    public let context: String
    /// The endpoint that was to be bound, connected or given up; nil for every other call.
    public let endpoint: String?

    /// Nothing lies beneath: the code is libzmq's own.
    public var cause: Never? { nil }

    /// Makes an error from a code and a text that names the thing and the next step.
    public init(code: ZMQErrorCode, context: String, endpoint: String? = nil) {
        self.code = code
        self.context = context
        self.endpoint = endpoint
    }

    /// The context followed by libzmq's words for the code.
    public var description: String {
        "\(context): \(code.message) (\(code.rawValue))"
    }
}
