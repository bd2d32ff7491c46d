//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CZMQ
internal import Glibc

/// Waits for several sockets and descriptors at once, on the one thread that owns the sockets.
///
/// Build it once; the slots stay. It does not keep a socket open: waiting with a closed one throws.
@safe package struct Poller: ~Copyable {
    private var items: [zmq_pollitem_t] = unsafe []
    private var handles: [SocketHandle?] = []

    /// A poller that watches nothing yet.
    package init() {}

    /// Watches a socket.
    /// - Throws: `notASocket` when it was closed.
    package mutating func add<Role>(
        _ socket: borrowing Socket<Role>, for events: PollEvents = .readable
    ) throws(ZMQError) -> PollSlot {
        let pointer = unsafe try socket.handle.live()
        unsafe items.append(zmq_pollitem_t(socket: pointer, fd: -1, events: events.rawValue, revents: 0))
        handles.append(socket.handle)
        return PollSlot(index: handles.count - 1)
    }

    /// Watches a descriptor, which must stay open as long as the poller is used.
    package mutating func add(fileDescriptor: Int32, for events: PollEvents = .readable) -> PollSlot {
        unsafe items.append(zmq_pollitem_t(socket: nil, fd: fileDescriptor, events: events.rawValue, revents: 0))
        handles.append(nil)
        return PollSlot(index: handles.count - 1)
    }

    /// Changes what a slot is watched for; an empty set switches it off.
    package mutating func watch(_ slot: PollSlot, for events: PollEvents) {
        unsafe items[slot.index].events = events.rawValue
    }

    /// Waits until something is ready or the time is over. Interrupting signals do not shorten or lengthen the wait.
    ///
    /// - Parameter limit: the longest wait, rounded up to a millisecond; zero only looks; nil waits for ever.
    /// - Returns: how many slots are ready; 0 when the time is over.
    /// - Throws: `notASocket` when a watched socket was closed, `terminated` after the context was shut down.
    package mutating func wait(upTo limit: Duration?) throws(ZMQError) -> Int {
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

    /// Whether the last wait found anything for a slot.
    package func isReady(_ slot: PollSlot) -> Bool { unsafe items[slot.index].revents != 0 }

    /// Whether the last wait found that a receive would bring something.
    package func isReadable(_ slot: PollSlot) -> Bool { unsafe items[slot.index].revents & Int16(ZMQ_POLLIN) != 0 }

    /// What the last wait found for a slot.
    package subscript(slot: PollSlot) -> PollEvents {
        PollEvents(rawValue: unsafe items[slot.index].revents)
    }
}

/// What a poller waits for or has found.
package struct PollEvents: OptionSet, Hashable, Sendable {
    /// libzmq's bits.
    package let rawValue: Int16

    /// Wraps libzmq's bits.
    package init(rawValue: Int16) {
        self.rawValue = rawValue
    }

    /// A receive would bring something.
    package static let readable = PollEvents(rawValue: Int16(ZMQ_POLLIN))
    /// A send to somebody would succeed; says nothing about one peer of a router.
    package static let writable = PollEvents(rawValue: Int16(ZMQ_POLLOUT))
    /// A descriptor has an error or its other end is closed.
    package static let failed = PollEvents(rawValue: Int16(ZMQ_POLLERR))
}

/// The place of a socket or descriptor in one poller, in the order of `add`.
package struct PollSlot: Hashable, Sendable {
    let index: Int
}

/// A moment on the monotonic clock, for waits that are interrupted and go on.
struct MonotonicDeadline {
    let nanoseconds: Int64

    init(after wait: Duration) {
        let (seconds, attoseconds) = max(wait, .zero).components
        let bounded = min(seconds, 1_000_000_000)
        nanoseconds = Self.now() + bounded * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// Whole milliseconds that are left, rounded up so that a waiter never wakes just before its time; 0 when over.
    fileprivate var remainingMilliseconds: Int {
        let left = nanoseconds - Self.now()
        return left <= 0 ? 0 : Int((left + 999_999) / 1_000_000)
    }

    var timespec: Glibc.timespec {
        Glibc.timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    }

    private static func now() -> Int64 {
        var time = Glibc.timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
