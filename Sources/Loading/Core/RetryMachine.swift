//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Decides which attempts follow a failure, and what is shown meanwhile. Loads are independent: each has a count of its own.
struct RetryMachine<Value: Hashable & Sendable> {
    /// A load's place in the order of starting; never used twice by one machine.
    typealias LoadID = UInt64

    enum Phase: Equatable {
        /// The wrapped load was called and has not returned. Moves to `waiting` or `watching`, or the load ends.
        case attempting
        /// Backing off before the attempt. Moves to `attempting`.
        case waiting
        /// The wrapped load returned before its outcome; the wrapped state will tell. Moves to `waiting`, or the load ends.
        case watching
    }

    enum ReturnAction: Equatable {
        /// The load has ended: with a value, with its last failure, or by cancellation.
        case finish
        /// Wait this long, then call `backoffEnded`.
        case wait(Duration)
        /// The outcome comes later: return to the caller and report changes of the wrapped state.
        case watch
    }

    /// A deferred load failed: wait in the background, then call `backoffEnded`.
    struct BackgroundWait: Equatable {
        let load: LoadID
        let delay: Duration
    }

    private struct Load {
        let id: LoadID
        var attempt = 1
        var phase: Phase = .attempting
        /// The caller of `load()` has been answered.
        var isInBackground = false
        /// The failure that the wrapped loader showed before the attempt; seeing it again is not an outcome.
        var failureBefore: HashableError?
    }

    let maxAttempts: Int
    let backoff: RetryBackoff
    private var loads: [Load] = []
    private var lastStarted: LoadID = 0
    private var settled: LoadingState<Value>
    /// The newest failure that another attempt follows, and that therefore nobody sees.
    private var hidden: HashableError?

    init(maxAttempts: Int, backoff: RetryBackoff, settled: LoadingState<Value> = .idle) {
        self.maxAttempts = max(1, maxAttempts)
        self.backoff = backoff
        self.settled = settled.isLoading ? .idle : settled
    }

    /// Whether the load may still make attempts. The driver drops timers of loads that are not live.
    func isLive(_ load: LoadID) -> Bool {
        loads.contains { $0.id == load }
    }

    /// A new load; what older loads do in the background ends, because this one replaces it.
    mutating func started(over wrapped: LoadingState<Value>) -> LoadID {
        loads.removeAll { $0.isInBackground }
        lastStarted += 1
        loads.append(Load(id: lastStarted, failureBefore: wrapped.failure))
        return lastStarted
    }

    /// The wrapped load returned. `isPending`: it only accepted the work. `isCanceled`: the caller's task was cancelled.
    mutating func returned(
        _ load: LoadID, showing wrapped: LoadingState<Value>, isPending: Bool, isCanceled: Bool, random: Double
    ) -> ReturnAction {
        guard let index = loads.firstIndex(where: { $0.id == load }) else { return .finish }
        if isCanceled {
            loads.remove(at: index)
            return .finish
        }
        // `loading` without another attempt of ours means that the wrapped load goes on by itself.
        let isAlone = !loads.contains { $0.id != load && $0.phase == .attempting }
        if isPending || (wrapped.isLoading && isAlone) {
            loads[index].phase = .watching
            loads[index].isInBackground = true
            return .watch
        }
        guard let delay = judge(at: index, wrapped, random: random) else { return .finish }
        return .wait(delay)
    }

    /// The wrapped state changed: outcomes of deferred loads show here.
    mutating func changed(to wrapped: LoadingState<Value>, isPending: Bool, random: Double) -> [BackgroundWait] {
        guard !isPending, !wrapped.isLoading else { return [] }
        var waits: [BackgroundWait] = []
        for load in loads where load.phase == .watching {
            guard let index = loads.firstIndex(where: { $0.id == load.id }) else { continue }
            if let delay = judge(at: index, wrapped, random: random) { waits.append(BackgroundWait(load: load.id, delay: delay)) }
        }
        return waits
    }

    /// The wait is over. False: the load has ended meanwhile, no attempt follows.
    mutating func backoffEnded(_ load: LoadID, over wrapped: LoadingState<Value>) -> Bool {
        guard let index = loads.firstIndex(where: { $0.id == load && $0.phase == .waiting }) else { return false }
        loads[index].phase = .attempting
        // The wrapped loader still shows the failure that this attempt follows.
        loads[index].failureBefore = wrapped.failure
        return true
    }

    /// The caller's task was cancelled while waiting.
    mutating func withdrawn(_ load: LoadID) {
        loads.removeAll { $0.id == load }
    }

    /// `cancel()`: no further attempt of any load.
    mutating func cancelled() {
        loads = []
    }

    /// `reset()`: no further attempt, and nothing of the past is shown.
    mutating func reset() {
        loads = []
        hidden = nil
        settled = .idle
    }

    /// What to show while the wrapped loader shows `wrapped`.
    mutating func shown(over wrapped: LoadingState<Value>) -> LoadingState<Value> {
        let state = state(over: wrapped)
        if !state.isLoading { settled = state }
        return state
    }

    /// The same without noting that it was shown.
    func state(over wrapped: LoadingState<Value>) -> LoadingState<Value> {
        switch wrapped {
        // A cancelled attempt is no outcome: what was shown before it comes back.
        case .failure(let failure) where failure == hidden || failure.isCancellation: retrying ?? settled
        case .failure(let failure) where willBeRetried(failure): retrying ?? .loading(nil)
        case .idle, .loading, .failure, .loaded: wrapped
        }
    }

    private var retrying: LoadingState<Value>? {
        guard let load = loads.last(where: { $0.attempt > 1 }) else { return nil }
        return .loading(LoadingProgress(message: "Retrying… (attempt \(load.attempt) of \(maxAttempts))"))
    }

    /// A failure that the wrapped loader shows before its `load()` has returned.
    private func willBeRetried(_ failure: HashableError) -> Bool {
        loads.contains { $0.phase == .attempting && $0.attempt < maxAttempts && $0.failureBefore != failure }
    }

    /// Judges an outcome: the wait before the next attempt, or nil when the load has ended.
    private mutating func judge(at index: Int, _ wrapped: LoadingState<Value>, random: Double) -> Duration? {
        guard let failure = wrapped.failure, failure != loads[index].failureBefore, !failure.isCancellation,
            loads[index].attempt < maxAttempts
        else {
            let ended = loads.remove(at: index)
            if case .loaded = wrapped {
                // What an older load would still try is out of date now.
                loads.removeAll { $0.id < ended.id && $0.phase == .waiting }
            }
            return nil
        }
        hidden = failure
        loads[index].attempt += 1
        loads[index].phase = .waiting
        return backoff.delay(before: loads[index].attempt, random: random)
    }
}

/// How long a ``RetryableLoader`` waits before each further attempt: 1 s, 2 s, 4 s and so on, doubling up to `cap`, of which the part
/// `jitter` is random.
public struct RetryBackoff: Hashable, Sendable {
    /// No wait is longer than this; jitter may take away from it, never add to it.
    package let cap: Duration
    /// Which part of a wait is random, 0...1: a wait of d lasts between d x (1 - jitter) and d.
    package let jitter: Double

    /// Creates a rule.
    /// - Parameters:
    ///   - cap: the longest wait; values below zero become zero. The default is one hour.
    ///   - jitter: the random part, clamped to 0...1. The default is 0: waits are exact.
    public init(cap: Duration = .seconds(3600), jitter: Double = 0) {
        self.cap = max(cap, .zero)
        self.jitter = jitter.isNaN ? 0 : min(max(jitter, 0), 1)
    }

    /// The wait before an attempt: 2^(attempt - 2) seconds, capped, less its random part.
    /// - Parameters:
    ///   - attempt: counts from 1; the first attempt waits for nothing.
    ///   - random: a number in 0..<1 that places the wait within its random part.
    package func delay(before attempt: Int, random: Double) -> Duration {
        guard attempt >= 2 else { return .zero }
        // 2^40 s is beyond any cap worth having, and far from the largest duration.
        let full = min(Duration.seconds(Int64(1) << min(attempt - 2, 40)), cap)
        return jitter == 0 ? full : full * (1 - jitter * random)
    }
}
