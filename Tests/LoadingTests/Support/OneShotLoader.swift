//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Loading

/// A foreign loader that keeps only the letter of the protocol: its `state` bears one iteration.
@MainActor
final class OneShotLoader: Loadable {
    typealias Value = Int

    private let stream: AsyncStream<LoadingState<Int>>
    private let continuation: AsyncStream<LoadingState<Int>>.Continuation
    private(set) var currentState: LoadingState<Int> = .idle
    private(set) var isCanceled = false
    let iterations = Tally()
    private(set) var loads = 0
    private let fails: Bool

    init(fails: Bool = false) {
        self.fails = fails
        (stream, continuation) = AsyncStream.makeStream(of: LoadingState<Int>.self)
        continuation.yield(.idle)
    }

    var state: any AsyncSequence<LoadingState<Int>, Never> {
        iterations.add()
        return stream
    }

    func load() async {
        loads += 1
        show(.loading(nil))
        show(fails ? .failure(Flaw.broken) : .loaded(loads))
    }

    func reset() { show(.idle) }
    func cancel() { isCanceled = true }

    private func show(_ state: LoadingState<Int>) {
        currentState = state
        continuation.yield(state)
    }
}
