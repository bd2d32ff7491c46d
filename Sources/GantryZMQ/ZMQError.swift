//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import CZMQ
import Glibc

/// A ZeroMQ call that could not be done.
///
/// Expected outcomes (nothing to receive, a full queue, an unknown peer) are results, never this error. Two errors are
/// equal when all their parts are.
package struct ZMQError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, as the error number of libzmq.
    package let code: ZMQErrorCode
    /// What was being done, to what, with which limit, and the next step where one is known.
    package let context: String
    /// The endpoint that was to be bound, connected or given up; nil for every other call.
    package let endpoint: String?

    /// Nothing lies beneath: the code is libzmq's own.
    package var cause: Never? { nil }

    /// Makes an error from a code and a text that names the thing and the next step.
    package init(code: ZMQErrorCode, context: String, endpoint: String? = nil) {
        self.code = code
        self.context = context
        self.endpoint = endpoint
    }

    /// The context followed by libzmq's words for the code.
    package var description: String {
        "\(context): \(code.message) (\(code.rawValue))"
    }
}

/// The error number of a failed ZeroMQ call; an open set, because libzmq may return any `errno`.
package struct ZMQErrorCode: RawRepresentable, Hashable, Sendable {
    /// The `errno` value or libzmq's own number above 156384712.
    package let rawValue: Int32

    /// Wraps an error number.
    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// The address is bound by another socket (`EADDRINUSE`).
    package static let addressInUse = ZMQErrorCode(rawValue: EADDRINUSE)
    /// An option, endpoint or value that libzmq refuses (`EINVAL`).
    package static let invalidArgument = ZMQErrorCode(rawValue: EINVAL)
    /// An ipc path longer than 107 bytes (`ENAMETOOLONG`).
    package static let nameTooLong = ZMQErrorCode(rawValue: ENAMETOOLONG)
    /// The socket was closed (`ENOTSOCK`).
    package static let notASocket = ZMQErrorCode(rawValue: ENOTSOCK)
    /// No endpoint of that name: a folder that does not exist, or an inproc name nobody bound (`ENOENT`).
    package static let notFound = ZMQErrorCode(rawValue: ENOENT)
    /// The process or the context has too many sockets or descriptors (`EMFILE`).
    package static let tooManyOpen = ZMQErrorCode(rawValue: EMFILE)
    /// The context was shut down; close the socket (`ETERM`).
    package static let terminated = ZMQErrorCode(rawValue: 156_384_712 + 53)
    /// The queue stayed full although the socket promised room (`EAGAIN`).
    package static let wouldBlock = ZMQErrorCode(rawValue: EAGAIN)

    /// libzmq's words for the number.
    package var message: String {
        unsafe String(cString: zmq_strerror(rawValue))
    }
}

extension ZMQError {
    /// The error of the libzmq call that just failed on this thread.
    static func last(_ context: @autoclosure () -> String, at endpoint: String? = nil) -> ZMQError {
        ZMQError(code: ZMQErrorCode(rawValue: zmq_errno()), context: context(), endpoint: endpoint)
    }
}
