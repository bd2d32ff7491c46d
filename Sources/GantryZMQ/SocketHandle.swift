//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CZMQ
internal import Glibc

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
