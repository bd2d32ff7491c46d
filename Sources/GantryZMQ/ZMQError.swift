//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import CZMQ
import Glibc

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

/// The error number of a failed ZeroMQ call; an open set, because libzmq may return any `errno`.
public struct ZMQErrorCode: RawRepresentable, Hashable, Sendable {
    /// The `errno` value or libzmq's own number above 156384712.
    public let rawValue: Int32

    /// Wraps an error number.
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// The address is bound by another socket (`EADDRINUSE`).
    public static let addressInUse = ZMQErrorCode(rawValue: EADDRINUSE)
    /// An option, endpoint or value that libzmq refuses (`EINVAL`).
    public static let invalidArgument = ZMQErrorCode(rawValue: EINVAL)
    /// An ipc path longer than 107 bytes (`ENAMETOOLONG`).
    public static let nameTooLong = ZMQErrorCode(rawValue: ENAMETOOLONG)
    /// The socket was closed (`ENOTSOCK`).
    public static let notASocket = ZMQErrorCode(rawValue: ENOTSOCK)
    /// No endpoint of that name: a folder that does not exist, or an inproc name nobody bound (`ENOENT`).
    public static let notFound = ZMQErrorCode(rawValue: ENOENT)
    /// The process or the context has too many sockets or descriptors (`EMFILE`).
    public static let tooManyOpen = ZMQErrorCode(rawValue: EMFILE)
    /// The context was shut down; close the socket (`ETERM`).
    public static let terminated = ZMQErrorCode(rawValue: 156_384_712 + 53)
    /// The queue stayed full although the socket promised room (`EAGAIN`).
    public static let wouldBlock = ZMQErrorCode(rawValue: EAGAIN)

    /// libzmq's words for the number.
    public var message: String {
        unsafe String(cString: zmq_strerror(rawValue))
    }
}

extension ZMQError {
    /// The error of the libzmq call that just failed on this thread.
    static func last(_ context: @autoclosure () -> String, at endpoint: String? = nil) -> ZMQError {
        ZMQError(code: ZMQErrorCode(rawValue: zmq_errno()), context: context(), endpoint: endpoint)
    }
}
