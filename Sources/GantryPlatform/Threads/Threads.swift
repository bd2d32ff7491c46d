//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CGantryPlatform
import Dispatch
internal import Synchronization

// Threads of the system, and what wakes them.

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

/// Wakes a thread that polls: any thread signals, the owner of the poller drains.
///
/// Signals add up to one: after `drain` everything that was appended before the signals must be looked at.
package final class EventSignal: Sendable {
    /// For a poller; readable while signaled. Open as long as this object lives.
    package let fileDescriptor: Int32

    /// Makes a signal that is not set.
    /// - Throws: `tooManyOpen`.
    package init() throws(SystemError) {
        fileDescriptor = try checked(gantry_eventfd(), "making an event descriptor; raise the limit of open files")
    }

    deinit {
        gantry_close(fileDescriptor)
    }

    /// Sets the signal. Never blocks; any thread may call it.
    package func signal() {
        // It cannot fail: the descriptor is ours, open, and a full counter counts as signaled.
        let code = gantry_eventfd_signal(fileDescriptor)
        precondition(code == 0, "an event descriptor was closed by somebody else")
    }

    /// Takes the signal back.
    /// - Returns: whether it was set.
    @discardableResult
    package func drain() -> Bool {
        gantry_eventfd_drain(fileDescriptor) > 0
    }
}

/// Counts signals, for threads that wait for them.
///
/// A wait with a limit goes by the monotonic clock: whoever sets the clock of the machine neither prolongs it nor cuts it short. On Linux that
/// of `DispatchSemaphore` goes by the wall clock, so sources do not use it.
package final class MonotonicSemaphore: Sendable {
    private let handle = gantry_semaphore_make()

    /// A semaphore without a signal.
    package init() {}

    deinit {
        gantry_semaphore_free(handle)
    }

    /// Lets one thread go on that waits, or the next one that would. Never blocks; any thread may call it.
    package func signal() { gantry_semaphore_signal(handle) }

    /// Waits for a signal and takes it.
    package func wait() { gantry_semaphore_wait(handle) }

    /// Waits for a signal and takes it, at most so long; with zero only one that is there already.
    /// - Returns: false when the time is over.
    package func wait(upTo limit: Duration) -> Bool { wait(until: Self.deadline(after: limit)) }

    /// Waits until something is so, which is looked at first and then after each signal, at most so long.
    /// - Returns: whether it is so.
    package func wait(upTo limit: Duration, until isSo: () -> Bool) -> Bool {
        let deadline = Self.deadline(after: limit)
        while !isSo() {
            guard wait(until: deadline) else { return isSo() }
        }
        return true
    }

    private func wait(until nanoseconds: Int64) -> Bool { gantry_semaphore_wait_until(handle, nanoseconds) == 1 }

    private static func deadline(after limit: Duration) -> Int64 {
        let (sum, isOver) = SystemClock.monotonicNanoseconds().addingReportingOverflow(max(limit, .zero).wholeNanoseconds)
        return isOver ? .max : sum
    }
}

/// Runs the steps of a task, one after the other, and says the number of each before it runs.
///
/// A step is what a task does from one of its suspensions to the next. A task that prefers this executor, and the child tasks that it waits for, run
/// here; detached tasks, the main actor and actors with executors of their own do not.
package final class SteppingExecutor: TaskExecutor {
    private struct State {
        /// The steps that came before the beginning; nil: it has begun.
        var early: [UnownedJob]? = []
        var stepCount = 0
    }

    private let queue = DispatchQueue(label: "gantry-steps")
    private let state = Mutex(State())
    private let willStep: @Sendable (_ number: Int) -> Void

    /// An executor that holds every step until `begin`.
    /// - Parameter willStep: called with the number of a step, from 1, on the thread that runs it next.
    package init(willStep: @escaping @Sendable (_ number: Int) -> Void) { self.willStep = willStep }

    /// How many steps have begun.
    package var stepCount: Int { state.withLock { $0.stepCount } }

    /// Runs what has come, and from now on whatever comes.
    package func begin() {
        state.withLock { state in
            for step in state.early ?? [] { run(step) }
            state.early = nil
        }
    }

    /// Takes a step that is ready.
    package func enqueue(_ job: consuming ExecutorJob) {
        let step = UnownedJob(job)
        state.withLock { state in
            if state.early == nil { run(step) } else { state.early?.append(step) }
        }
    }

    private func run(_ step: UnownedJob) {
        queue.async {
            let number = self.state.withLock { state in
                state.stepCount += 1
                return state.stepCount
            }
            self.willStep(number)
            unsafe step.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }
}
