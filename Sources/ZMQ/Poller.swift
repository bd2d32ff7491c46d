//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CZMQ
internal import Glibc

/// Waits for several sockets and descriptors at once, on the one thread that owns the sockets.
///
/// Build it once; the slots stay. It does not keep a socket open: waiting with a closed one throws.
@safe public struct Poller: ~Copyable {
    private var items: [zmq_pollitem_t] = unsafe []
    private var handles: [SocketHandle?] = []

    /// A poller that watches nothing yet.
    public init() {}

    /// Watches a socket.
    /// - Throws: `notASocket` when it was closed.
    public mutating func add<Role>(
        _ socket: borrowing Socket<Role>, for events: PollEvents = .readable
    ) throws(ZMQError) -> PollSlot {
        let pointer = unsafe try socket.handle.live()
        unsafe items.append(zmq_pollitem_t(socket: pointer, fd: -1, events: events.rawValue, revents: 0))
        handles.append(socket.handle)
        return PollSlot(index: handles.count - 1)
    }

    /// Watches a descriptor, which must stay open as long as the poller is used.
    public mutating func add(fileDescriptor: Int32, for events: PollEvents = .readable) -> PollSlot {
        unsafe items.append(zmq_pollitem_t(socket: nil, fd: fileDescriptor, events: events.rawValue, revents: 0))
        handles.append(nil)
        return PollSlot(index: handles.count - 1)
    }

    /// Changes what a slot is watched for; an empty set switches it off.
    public mutating func watch(_ slot: PollSlot, for events: PollEvents) {
        unsafe items[slot.index].events = events.rawValue
    }

    /// Waits until something is ready or the time is over. Interrupting signals do not shorten or lengthen the wait.
    ///
    /// - Parameter limit: the longest wait, rounded up to a millisecond; zero only looks; nil waits for ever.
    /// - Returns: how many slots are ready; 0 when the time is over.
    /// - Throws: `notASocket` when a watched socket was closed, `terminated` after the context was shut down.
    public mutating func wait(upTo limit: Duration?) throws(ZMQError) -> Int {
        for handle in handles {
            guard let handle else { continue }
            unsafe _ = try handle.live()
            assert(handle.isOnOwnerThread(), "a \(handle.roleName) socket is polled by a thread that does not own it")
        }
        let deadline = limit.flatMap { $0 > .zero ? MonotonicDeadline(after: $0) : nil }
        while true {
            let milliseconds = deadline?.remainingMilliseconds ?? (limit == nil ? -1 : 0)
            let ready = unsafe zmq_poll(&items, Int32(items.count), milliseconds)
            if ready >= 0 { return Int(ready) }
            guard zmq_errno() == EINTR else {
                throw ZMQError.last("polling \(handles.count) sockets and descriptors; close them if the context has ended")
            }
        }
    }

    /// What the last wait found for a slot.
    public subscript(slot: PollSlot) -> PollEvents {
        PollEvents(rawValue: unsafe items[slot.index].revents)
    }
}
