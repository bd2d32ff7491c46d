//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import CZMQ
import Glibc

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
