//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CZMQ
internal import Glibc

/// A ZeroMQ socket of one role. It cannot be copied and belongs to one thread.
///
/// It may be made and bound on one thread and used on another: the first send, receive or poll fixes the owner, which
/// debug builds check from then on. Nothing here ever blocks. It closes when it goes out of scope and drops what is not
/// sent, unless `linger` says otherwise.
///
///     let requests = try Socket<Router>(context)
///     try requests.apply(OptionSheet(sendHighWaterMark: 1_000, receiveHighWaterMark: 1_000))
///     try requests.bind("ipc:///run/gantry/requests")
package struct Socket<Role: SocketRole>: ~Copyable {
    let handle: SocketHandle

    /// Opens a socket with linger and send time-out zero and the fixed options of its role.
    /// - Throws: `tooManyOpen` when the context or the process is full, `terminated` after `Context.shutdown()`.
    package init(_ context: Context) throws(ZMQError) {
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
    package consuming func close() {}

    /// Messages that were dropped because they had the wrong form, since the socket was opened.
    package var malformedCount: Int { handle.malformedCount }

    /// Sets an option.
    /// - Throws: `invalidArgument` when libzmq refuses the value or this role has no such option.
    package borrowing func set<Value>(_ option: SocketOption<Value>, to value: Value) throws(ZMQError) {
        try handle.set(option, to: value)
    }

    /// Reads an option.
    /// - Throws: `invalidArgument` when libzmq cannot tell it.
    package borrowing func value<Value>(of option: SocketOption<Value>) throws(ZMQError) -> Value {
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
    package var lastEndpoint: String {
        get throws(ZMQError) { try value(of: .lastEndpoint) }
    }
}

/// What a socket is: a type that is never instantiated and decides which methods `Socket` has.
package protocol SocketRole {
    /// libzmq's number of the socket type.
    static var kind: Int32 { get }
    /// The word used in errors.
    static var name: String { get }
    /// Options that every socket of this role has whatever its sheet says.
    static var fixedOptions: [SocketOption<Bool>] { get }
    /// Whether libzmq takes the first frame of a message out when it only looks whether there is one (`xhas_in` of 4.3.4). A connection that is
    /// lost then ends the process if the socket gives up connections that are not complete, so such a socket is never immediate.
    static var readsAhead: Bool { get }
}

extension SocketRole {
    /// No options beyond the sheet.
    package static var fixedOptions: [SocketOption<Bool>] { [] }
    /// A look takes nothing.
    package static var readsAhead: Bool { false }
}

extension Socket {
    /// Listens at an endpoint: `ipc://PATH`, `tcp://127.0.0.1:PORT` (`*` chooses a port), `inproc://NAME`.
    ///
    /// A second `bind` to one ipc path succeeds and steals it: hold a lock file of the folder first.
    /// - Throws: `nameTooLong` for an ipc path above 107 bytes, `addressInUse`, `notFound` for a missing folder.
    package borrowing func bind(_ endpoint: String) throws(ZMQError) {
        try checkLength(of: endpoint)
        let socket = unsafe try handle.live()
        guard unsafe zmq_bind(socket, endpoint) == 0 else {
            throw ZMQError.last("binding \(Role.name) to \(endpoint); free the address or choose another", at: endpoint)
        }
    }

    /// Connects to an endpoint, now or as soon as somebody listens there, and again whenever the connection is lost.
    /// - Throws: `nameTooLong` for an ipc path above 107 bytes, `invalidArgument` for an address of no known form.
    package borrowing func connect(_ endpoint: String) throws(ZMQError) {
        try checkLength(of: endpoint)
        let socket = unsafe try handle.live()
        guard unsafe zmq_connect(socket, endpoint) == 0 else {
            throw ZMQError.last("connecting \(Role.name) to \(endpoint); check the form of the address", at: endpoint)
        }
    }

    /// Gives up a connection and what is queued for it.
    /// - Throws: `notFound` when the socket was not connected there.
    package borrowing func disconnect(_ endpoint: String) throws(ZMQError) {
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

/// The C socket behind a `Socket`, shared with the pollers that watch it.
@safe final class SocketHandle {
    enum Frame {
        case nothing
        case last
        case more
    }

    let context: Context
    let roleName: String
    var malformedCount = 0
    // One thread uses a socket, so the run-time check of overlapping access would only cost time.
    @exclusivity(unchecked) private(set) var pointer: UnsafeMutableRawPointer?
    private var owner: pthread_t?
    private let scratch = Message()

    init(context: Context, kind: Int32, roleName: String) throws(ZMQError) {
        guard let made = unsafe zmq_socket(context.pointer, kind) else {
            throw ZMQError.last("opening a \(roleName) socket; raise the context's maximum sockets or close some")
        }
        self.context = context
        self.roleName = roleName
        unsafe pointer = unsafe made
    }

    deinit {
        close()
    }

    func set<Value>(_ option: SocketOption<Value>, to value: Value) throws(ZMQError) {
        let socket = unsafe try live()
        let bytes = value.optionBytes(millisecondsPerUnit: option.millisecondsPerUnit)
        guard unsafe zmq_setsockopt(socket, option.number, bytes, bytes.count) == 0 else {
            throw ZMQError.last("setting \(option.name) of a \(roleName) socket; check the value and the role")
        }
    }

    func close() {
        guard let open = unsafe pointer else { return }
        unsafe pointer = nil
        _ = unsafe zmq_close(open)
    }

    /// The C socket; throws once it is closed.
    func live() throws(ZMQError) -> UnsafeMutableRawPointer {
        guard let open = unsafe pointer else {
            throw ZMQError(code: .notASocket, context: "using a closed \(roleName) socket; open a new one")
        }
        return unsafe open
    }

    /// Remembers the first thread that sends, receives or polls, and says whether this is that thread.
    func isOnOwnerThread() -> Bool {
        let current = pthread_self()
        guard let owner else {
            owner = current
            return true
        }
        return pthread_equal(owner, current) != 0
    }

    /// Sends one frame without blocking. Returns 0 or the error number.
    func send(_ bytes: UnsafeRawBufferPointer, flags: Int32 = 0) -> Int32 {
        assert(isOnOwnerThread(), "a \(roleName) socket is used by two threads")
        guard let open = unsafe pointer else { return ENOTSOCK }
        while true {
            if unsafe zmq_send(open, bytes.baseAddress, bytes.count, ZMQ_DONTWAIT | flags) >= 0 { return 0 }
            let code = zmq_errno()
            if code != EINTR { return code }
        }
    }

    /// Receives one frame without blocking. After `.more` the rest of the message is already here.
    func receive(into message: borrowing Message) throws(ZMQError) -> Frame {
        assert(isOnOwnerThread(), "a \(roleName) socket is used by two threads")
        let open = unsafe try live()
        while true {
            if unsafe zmq_msg_recv(message.pointer, open, ZMQ_DONTWAIT) >= 0 {
                return unsafe zmq_msg_more(message.pointer) != 0 ? .more : .last
            }
            let code = zmq_errno()
            if code == EAGAIN { return .nothing }
            if code != EINTR { throw failure(code, "receiving from") }
        }
    }

    /// Receives a routing frame; nil if nothing waits, an empty id if it is longer than a `RoutingID` can be.
    func receiveRoutingID() throws(ZMQError) -> RoutingID? {
        assert(isOnOwnerThread(), "a \(roleName) socket is used by two threads")
        let open = unsafe try live()
        var id = RoutingID()
        while true {
            let size = unsafe withUnsafeMutableBytes(of: &id.storage) { target in
                unsafe zmq_recv(open, target.baseAddress, target.count, ZMQ_DONTWAIT)
            }
            if size >= 0 {
                guard size <= Int32(RoutingID.maximumByteCount) else { return RoutingID() }
                id.count = UInt8(size)
                return id
            }
            let code = zmq_errno()
            if code == EAGAIN { return nil }
            if code != EINTR { throw failure(code, "receiving from") }
        }
    }

    /// Drops the rest of a message that has too many frames, and counts it.
    func dropRest(after frame: Frame) throws(ZMQError) {
        var frame = frame
        while frame == .more {
            frame = try receive(into: scratch)
        }
        malformedCount += 1
    }

    func failure(_ code: Int32, _ doing: String) -> ZMQError {
        let step = code == ZMQErrorCode.terminated.rawValue ? "close it, the context has ended" : "close it and open a new one"
        return ZMQError(code: ZMQErrorCode(rawValue: code), context: "\(doing) a \(roleName) socket; \(step)")
    }
}
