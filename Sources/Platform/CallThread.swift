//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import Synchronization

/// A thread that makes one call after another and waits in between.
public final class CallThread: Sendable {
    /// Room for what name services and file systems put on a stack; only what is touched takes memory.
    private static let stackByteCount = 2 << 20

    private let next = Mutex<(@Sendable () -> Void)?>(nil)
    private let signal = MonotonicSemaphore()

    private init() {}

    /// Starts the thread; it waits for its first call.
    /// - Throws: the system's error when it has no thread left.
    public static func start(name: String) throws(SystemError) -> CallThread {
        let thread = CallThread()
        _ = try startThread(name: name, stackSize: stackByteCount) {
            while let call = thread.wait() { call() }
        }
        return thread
    }

    /// Makes a call. Only for a thread that waits.
    public func make(_ call: @escaping @Sendable () -> Void) {
        next.withLock { $0 = call }
        signal.signal()
    }

    /// Ends the thread once it waits.
    public func end() { signal.signal() }

    /// The next call; nil: the thread is to end.
    private func wait() -> (@Sendable () -> Void)? {
        signal.wait()
        return next.withLock { next in
            defer { next = nil }
            return next
        }
    }
}
