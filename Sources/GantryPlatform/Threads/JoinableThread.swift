//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CGantryPlatform
internal import Synchronization

/// A thread that can be waited for once. Dropping it lets the thread run on alone.
package struct JoinableThread: ~Copyable, Sendable {
    private let number: UInt64

    init(number: UInt64) {
        self.number = number
    }

    deinit {
        gantry_thread_detach(number)
    }

    /// Waits until the thread's body has returned. A thread must not wait for itself.
    package consuming func join() {
        let number = number
        discard self
        let code = gantry_thread_join(number)
        precondition(code == 0, "a thread waits for itself or was joined before")
    }
}

/// Starts a thread of the system, for loops that own sockets or block in system calls.
///
/// All signals are blocked in it, so other threads take them; only faults of the thread itself end
/// the process. Tasks and actors hop between threads and must not own sockets: use this instead.
///
/// - Parameters:
///   - name: shown by the system's tools, cut at 15 bytes.
///   - stackSize: bytes; at least what the system demands.
///   - body: runs on the new thread, once.
/// - Throws: the system's error when it has no thread left.
/// - Returns: the thread, to be joined or dropped.
package func startThread(
    name: String, stackSize: Int = 1 << 20, body: @escaping @Sendable () -> Void
) throws(SystemError) -> JoinableThread {
    let box = unsafe Unmanaged.passRetained(ThreadBody(body))
    var number: UInt64 = 0
    let code = unsafe gantry_thread_start(
        name, max(stackSize, 0),
        { argument in
            guard let argument = unsafe argument else { return }
            unsafe Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
        }, box.toOpaque(), &number)
    guard code == 0 else {
        unsafe box.release()
        throw SystemError(code: SystemErrorCode(rawValue: -code), context: "starting the thread \(name); end some threads")
    }
    return JoinableThread(number: number)
}

/// Carries a closure through the C call that starts a thread.
private final class ThreadBody: Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    func run() {
        body()
    }
}

/// A thread that makes one call after another and waits in between.
package final class CallThread: Sendable {
    /// Room for what name services and file systems put on a stack; only what is touched takes memory.
    private static let stackByteCount = 2 << 20

    private let next = Mutex<(@Sendable () -> Void)?>(nil)
    private let signal = MonotonicSemaphore()

    private init() {}

    /// Starts the thread; it waits for its first call.
    /// - Throws: the system's error when it has no thread left.
    package static func start(name: String) throws(SystemError) -> CallThread {
        let thread = CallThread()
        _ = try startThread(name: name, stackSize: stackByteCount) {
            while let call = thread.wait() { call() }
        }
        return thread
    }

    /// Makes a call. Only for a thread that waits.
    package func make(_ call: @escaping @Sendable () -> Void) {
        next.withLock { $0 = call }
        signal.signal()
    }

    /// Ends the thread once it waits.
    package func end() { signal.signal() }

    /// The next call; nil: the thread is to end.
    private func wait() -> (@Sendable () -> Void)? {
        signal.wait()
        return next.withLock { next in
            defer { next = nil }
            return next
        }
    }
}
