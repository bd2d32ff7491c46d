//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CZMQ
internal import Glibc
internal import Synchronization

/// The only ZeroMQ object that threads may share: it owns the I/O threads and every inproc name.
///
/// Make one for each process. Every `Socket` keeps its context alive, so a context that is simply let go ends after its
/// last socket was closed and never before.
// Proof: libzmq documents contexts as safe to use from any thread; `pointer` never changes and `phase` is behind a lock.
@safe package final class Context: @unchecked Sendable {
    private enum Phase {
        case open
        case terminating
        case terminated
    }

    let pointer: UnsafeMutableRawPointer
    private let phase = Mutex(Phase.open)

    /// Starts a context.
    ///
    /// - Parameters:
    ///   - maximumSockets: how many sockets may be open at once, 1 to 65,535. The library's own default, 1,023, is too
    ///     few for a thousand clients in one process.
    ///   - ioThreads: threads that move bytes; one is enough below about 100,000 messages a second of CURVE traffic.
    /// - Throws: `invalidArgument` for a count libzmq refuses; `tooManyOpen` when the process has no descriptors left.
    package init(maximumSockets: Int = 16_384, ioThreads: Int = 1) throws(ZMQError) {
        guard let made = unsafe zmq_ctx_new() else {
            throw ZMQError.last("starting a context; free memory or file descriptors and retry")
        }
        unsafe pointer = unsafe made
        try set(ZMQ_MAX_SOCKETS, to: maximumSockets, name: "maximum sockets")
        try set(ZMQ_IO_THREADS, to: ioThreads, name: "I/O threads")
    }

    deinit {
        guard phase.withLock({ $0 == .open }) else { return }
        // Every socket retains its context, so none is left and this waits at most for the longest linger.
        while unsafe zmq_ctx_term(pointer) != 0, zmq_errno() == EINTR {}
    }

    /// How many sockets may be open at once.
    package var maximumSockets: Int {
        Int(unsafe zmq_ctx_get(pointer, ZMQ_MAX_SOCKETS))
    }

    /// How many I/O threads the context runs.
    package var ioThreads: Int {
        Int(unsafe zmq_ctx_get(pointer, ZMQ_IO_THREADS))
    }

    /// Makes every operation on every socket of this context fail with `terminated` from now on, so that their owners
    /// close them. Returns at once; calling it again changes nothing.
    package func shutdown() {
        phase.withLock { phase in
            guard phase == .open else { return }
            _ = unsafe zmq_ctx_shutdown(pointer)
        }
    }

    /// Shuts the context down and waits until every socket is closed and flushed, but never longer than `limit`.
    ///
    /// - Parameter limit: how long to wait; negative counts as zero.
    /// - Returns: true if the context has ended. False means that a socket is still open or lingering: the process
    ///   should then leave by `_exit`, because libzmq keeps waiting in the background.
    package func terminate(within limit: Duration) -> Bool {
        shutdown()
        let isFirst = phase.withLock { phase in
            guard phase == .open else { return false }
            phase = .terminating
            return true
        }
        guard isFirst else { return phase.withLock { $0 == .terminated } }
        var thread = pthread_t()
        let started = unsafe pthread_create(
            &thread, nil,
            { context in
                while unsafe zmq_ctx_term(context) != 0, zmq_errno() == EINTR {}
                return nil
            }, pointer)
        guard started == 0 else { return false }
        var deadline = MonotonicDeadline(after: limit).timespec
        guard unsafe pthread_clockjoin_np(thread, nil, CLOCK_MONOTONIC, &deadline) == 0 else {
            pthread_detach(thread)
            return false
        }
        phase.withLock { $0 = .terminated }
        return true
    }

    private func set(_ option: Int32, to value: Int, name: String) throws(ZMQError) {
        guard let number = Int32(exactly: value), number > 0, unsafe zmq_ctx_set(pointer, option, number) == 0 else {
            throw ZMQError(
                code: .invalidArgument,
                context: "setting \(name) of a context to \(value); choose a value from 1 to the library's limit")
        }
    }
}
