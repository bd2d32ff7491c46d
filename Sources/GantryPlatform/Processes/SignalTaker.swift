//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CGantryPlatform
internal import Glibc
internal import Synchronization

/// Takes signals for as long as it lives: they end nothing by themselves meanwhile, and each one goes to all that take it.
///
/// None is lost. One that comes before they are taken does what it did before, as does one that comes when nobody takes it any more; one in
/// between waits in a pipe until it is read. So it does not matter which threads exist, and when they were started.
package final class SignalTaker: Sendable {
    private let number: Int

    /// Takes the signals from now on.
    /// - Parameter handle: called with each, on a thread that it may block; others wait for it. Of requests to end that come twice at once
    ///   only the first counts, see `RequestsToEnd`.
    /// - Throws: `invalidArgument` for a number that is no signal or cannot be taken, `tooManyOpen`, or that there is no thread left.
    package init(_ signals: [Signal] = Signal.requestsToEnd, _ handle: @escaping @Sendable (Signal) -> Void) throws(SystemError) {
        number = try Self.shared.add(signals, handle)
    }

    /// One element for each request to end. The stream ends with this value; it does not keep it.
    package static func stream() throws(SystemError) -> (taker: SignalTaker, signals: AsyncStream<Signal>) {
        let (signals, input) = AsyncStream.makeStream(of: Signal.self, bufferingPolicy: .bufferingOldest(16))
        return (try SignalTaker { input.yield($0) }, signals)
    }

    deinit { leave() }

    /// Takes signals no longer. What handled them before does so again, once nobody takes them.
    package func leave() { Self.shared.remove(number) }

    private static let shared = TakenSignals()
}

/// Tells a second request to end from one that came twice at once: `timeout` sends its signal to the process and to the process's group.
package struct RequestsToEnd: Sendable {
    /// Two of one signal that are closer together than this are one: longer than the two of `timeout` lie apart, and shorter than a person takes
    /// to press a key again on purpose.
    package static let repeatWindow = Duration.milliseconds(200)

    private var last: [Signal: Int64] = [:]

    /// Nobody has asked yet.
    package init() {}

    /// Whether a signal at an instant of the monotonic clock counts; other signals than requests to end always do.
    package mutating func counts(_ signal: Signal, at nanoseconds: Int64) -> Bool {
        guard Signal.requestsToEnd.contains(signal) else { return true }
        if let last = last[signal], .nanoseconds(nanoseconds - last) < Self.repeatWindow { return false }
        last[signal] = nanoseconds
        return true
    }
}

/// Who takes which signals in this process, and the thread that delivers them.
private final class TakenSignals: Sendable {
    private struct Taker {
        let signals: [Signal]
        let handle: @Sendable (Signal) -> Void
    }

    private struct State {
        var takers: [Int: Taker] = [:]
        var next = 0
        var requests = RequestsToEnd()
        /// Those whose handler is in place. It stays when nobody takes them any more, until one comes: a process that ends because of a signal is
        /// not to die of its repetition.
        var handled: Set<Signal> = []
        var isReading = false

        func isTaken(_ signal: Signal) -> Bool { takers.values.contains { $0.signals.contains(signal) } }
    }

    private let state = Mutex(State())

    func add(_ signals: [Signal], _ handle: @escaping @Sendable (Signal) -> Void) throws(SystemError) -> Int {
        try state.withLock { state throws(SystemError) in
            if !state.isReading { try read() }
            state.isReading = true
            let number = state.next
            state.next += 1
            state.takers[number] = Taker(signals: signals, handle: handle)
            do throws(SystemError) {
                for signal in signals where !state.handled.contains(signal) {
                    try checked(gantry_signal_take(signal.rawValue), "taking signal \(signal.rawValue)")
                    state.handled.insert(signal)
                }
            } catch {
                state.takers[number] = nil
                throw error
            }
            return number
        }
    }

    func remove(_ number: Int) { state.withLock { $0.takers[number] = nil } }

    /// Makes the pipe and starts the thread, which live as long as the process.
    private func read() throws(SystemError) {
        let reader = try checked(gantry_signals_open(), "making a pipe for signals; raise the limit of open files")
        _ = try startThread(name: "signals") {
            var record = gantry_signal()
            while unsafe gantry_signal_next(reader, &record) == 1 {
                self.deliver(Signal(rawValue: record.number), at: record.nanoseconds)
            }
        }
    }

    private func deliver(_ signal: Signal, at nanoseconds: Int64) {
        let takers = state.withLock { state -> [Taker]? in
            guard state.requests.counts(signal, at: nanoseconds) else { return [] }
            guard state.isTaken(signal) else {
                state.handled.remove(signal)
                gantry_signal_leave(signal.rawValue)
                return nil
            }
            return state.takers.sorted { $0.key < $1.key }.map(\.value).filter { $0.signals.contains(signal) }
        }
        // Nobody takes it any more, so it does what it did before.
        guard let takers else { return ProcessControl.sendToThisProcess(signal) }
        for taker in takers { taker.handle(signal) }
    }
}

/// A signal of the system.
package struct Signal: RawRepresentable, Hashable, Sendable {
    /// The system's number.
    package let rawValue: Int32

    /// Wraps a number.
    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// SIGTERM: please end.
    package static let terminate = Signal(rawValue: SIGTERM)
    /// SIGINT: Ctrl-C.
    package static let interrupt = Signal(rawValue: SIGINT)
    /// SIGHUP: the terminal is gone, or read the configuration again.
    package static let hangUp = Signal(rawValue: SIGHUP)
    /// SIGCHLD: a child ended or stopped.
    package static let child = Signal(rawValue: SIGCHLD)
    /// SIGKILL: end now; cannot be caught.
    package static let kill = Signal(rawValue: SIGKILL)
    /// SIGSTOP: stand still; cannot be caught.
    package static let stop = Signal(rawValue: SIGSTOP)
    /// SIGCONT: go on.
    package static let `continue` = Signal(rawValue: SIGCONT)
    /// SIGQUIT: Ctrl-\.
    package static let quit = Signal(rawValue: SIGQUIT)
    /// SIGUSR1: free for use.
    package static let user1 = Signal(rawValue: SIGUSR1)
    /// SIGWINCH: the terminal has a new size.
    package static let windowChanged = Signal(rawValue: SIGWINCH)

    /// What asks a process to end: Ctrl-C, and what supervisors and containers send.
    package static let requestsToEnd: [Signal] = [.interrupt, .terminate]

    /// What a process ends with that ends because of the signal, as shells say it.
    package var exitCode: Int32 { 128 + rawValue }

    /// Leaves the signal to the system in this process, whatever handled it.
    /// - Throws: `invalidArgument` for a number that is no signal or cannot be handled.
    package func reset() throws(SystemError) { try checked(gantry_signal_reset(rawValue), "leaving signal \(rawValue) to the system") }
}
