//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Loading

/// An observer of a loader that remembers what it saw.
@MainActor
final class Recorder<Value: Hashable & Sendable> {
    private(set) var states: [LoadingState<Value>] = []
    private var waiters: [(condition: (LoadingState<Value>) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    var onRecord: () -> Void = {}
    private var following: Task<Void, Never>?

    private init() {}

    /// Attaches an observer; it has seen the current state when this returns.
    static func watching(_ loader: some Loadable<Value>) async -> Recorder {
        let recorder = Recorder()
        let states = loader.state
        recorder.following = Task { [weak recorder] in
            for await state in states { recorder?.record(state) }
        }
        await recorder.sees { _ in true }
        return recorder
    }

    deinit {
        following?.cancel()
    }

    var last: LoadingState<Value>? { states.last }

    /// Returns when the newest state seen meets the condition.
    func sees(_ condition: @escaping (LoadingState<Value>) -> Bool) async {
        if let last = states.last, condition(last) { return }
        await withCheckedContinuation { waiters.append((condition, $0)) }
    }

    func sees(_ state: LoadingState<Value>) async {
        await sees { $0 == state }
    }

    private func record(_ state: LoadingState<Value>) {
        states.append(state)
        onRecord()
        let due = waiters.filter { $0.condition(state) }
        waiters.removeAll { $0.condition(state) }
        for waiter in due { waiter.continuation.resume() }
    }
}
