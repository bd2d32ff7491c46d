//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CZMQ

extension Socket {
    /// Listens at an endpoint: `ipc://PATH`, `tcp://127.0.0.1:PORT` (`*` chooses a port), `inproc://NAME`.
    ///
    /// A second `bind` to one ipc path succeeds and steals it: hold a lock file of the folder first.
    /// - Throws: `nameTooLong` for an ipc path above 107 bytes, `addressInUse`, `notFound` for a missing folder.
    public borrowing func bind(_ endpoint: String) throws(ZMQError) {
        try checkLength(of: endpoint)
        let socket = unsafe try handle.live()
        guard unsafe zmq_bind(socket, endpoint) == 0 else {
            throw ZMQError.last("binding \(Role.name) to \(endpoint); free the address or choose another", at: endpoint)
        }
    }

    /// Connects to an endpoint, now or as soon as somebody listens there, and again whenever the connection is lost.
    /// - Throws: `nameTooLong` for an ipc path above 107 bytes, `invalidArgument` for an address of no known form.
    public borrowing func connect(_ endpoint: String) throws(ZMQError) {
        try checkLength(of: endpoint)
        let socket = unsafe try handle.live()
        guard unsafe zmq_connect(socket, endpoint) == 0 else {
            throw ZMQError.last("connecting \(Role.name) to \(endpoint); check the form of the address", at: endpoint)
        }
    }

    /// Gives up a connection and what is queued for it.
    /// - Throws: `notFound` when the socket was not connected there.
    public borrowing func disconnect(_ endpoint: String) throws(ZMQError) {
        let socket = unsafe try handle.live()
        guard unsafe zmq_disconnect(socket, endpoint) == 0 else {
            throw ZMQError.last("disconnecting \(Role.name) from \(endpoint); use the text of lastEndpoint", at: endpoint)
        }
    }

    private borrowing func checkLength(of endpoint: String) throws(ZMQError) {
        guard endpoint.hasPrefix("ipc://") else { return }
        let byteCount = endpoint.utf8.count - "ipc://".utf8.count
        guard byteCount <= 107 else {
            throw ZMQError(
                code: .nameTooLong,
                context: "\(endpoint) has a path of \(byteCount) bytes (limit 107): choose a shorter folder", endpoint: endpoint)
        }
    }
}
