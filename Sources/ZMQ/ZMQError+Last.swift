//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CZMQ

extension ZMQError {
    /// The error of the libzmq call that just failed on this thread.
    static func last(_ context: @autoclosure () -> String, at endpoint: String? = nil) -> ZMQError {
        ZMQError(code: ZMQErrorCode(rawValue: zmq_errno()), context: context(), endpoint: endpoint)
    }
}
