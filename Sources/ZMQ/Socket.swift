//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CZMQ

/// A ZeroMQ socket of one role. It cannot be copied and belongs to one thread.
///
/// It may be made and bound on one thread and used on another: the first send, receive or poll fixes the owner, which
/// debug builds check from then on. Nothing here ever blocks. It closes when it goes out of scope and drops what is not
/// sent, unless `linger` says otherwise.
///
///     let requests = try Socket<Router>(context)
///     try requests.apply(OptionSheet(sendHighWaterMark: 1_000, receiveHighWaterMark: 1_000))
///     try requests.bind("ipc:///run/gantry/requests")
public struct Socket<Role: SocketRole>: ~Copyable {
    let handle: SocketHandle

    /// Opens a socket with linger and send time-out zero and the fixed options of its role.
    /// - Throws: `tooManyOpen` when the context or the process is full, `terminated` after `Context.shutdown()`.
    public init(_ context: Context) throws(ZMQError) {
        let handle = try SocketHandle(context: context, kind: Role.kind, roleName: Role.name)
        try handle.set(.linger, to: .zero)
        try handle.set(.sendTimeout, to: .zero)
        for option in Role.fixedOptions {
            try handle.set(option, to: true)
        }
        self.handle = handle
    }

    deinit {
        handle.close()
    }

    /// Closes the socket now instead of at the end of its scope.
    public consuming func close() {}

    /// Messages that were dropped because they had the wrong form, since the socket was opened.
    public var malformedCount: Int { handle.malformedCount }

    /// Sets an option.
    /// - Throws: `invalidArgument` when libzmq refuses the value or this role has no such option.
    public borrowing func set<Value>(_ option: SocketOption<Value>, to value: Value) throws(ZMQError) {
        try handle.set(option, to: value)
    }

    /// Reads an option.
    /// - Throws: `invalidArgument` when libzmq cannot tell it.
    public borrowing func value<Value>(of option: SocketOption<Value>) throws(ZMQError) -> Value {
        let socket = unsafe try handle.live()
        var bytes = [UInt8](repeating: 0, count: Value.optionCapacity)
        var count = bytes.count
        guard unsafe zmq_getsockopt(socket, option.number, &bytes, &count) == 0 else {
            throw ZMQError.last("reading \(option.name) of a \(Role.name) socket; libzmq cannot tell this option")
        }
        bytes.removeLast(bytes.count - count)
        guard let value = Value.fromOptionBytes(bytes, millisecondsPerUnit: option.millisecondsPerUnit) else {
            throw ZMQError(code: .invalidArgument, context: "reading \(option.name): \(count) bytes do not fit its type")
        }
        return value
    }

    /// The address of the last `bind` or `connect`, with the port that the system chose for `:*`.
    public var lastEndpoint: String {
        get throws(ZMQError) { try value(of: .lastEndpoint) }
    }
}
