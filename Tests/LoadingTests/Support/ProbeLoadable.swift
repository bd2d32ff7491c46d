//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

@testable import Loading

/// Passes everything on and counts how many loads run below it.
@MainActor
final class ProbeLoadable<Base: Loadable>: DeferringLoadable {
    typealias Value = Base.Value

    private let wrapped: Base
    private let onEnd: () -> Void
    private(set) var executing = 0
    private(set) var mostExecuting = 0

    init(_ wrapped: Base, onEnd: @escaping () -> Void) {
        self.wrapped = wrapped
        self.onEnd = onEnd
    }

    var state: any AsyncSequence<LoadingState<Value>, Never> { wrapped.state }
    var currentState: LoadingState<Value> { wrapped.currentState }
    var isCanceled: Bool { wrapped.isCanceled }
    var isLoadPending: Bool { wrapped.hasPendingLoad }
    func reset() { wrapped.reset() }
    func cancel() { wrapped.cancel() }

    func load() async {
        executing += 1
        mostExecuting = max(mostExecuting, executing)
        await wrapped.load()
        executing -= 1
        onEnd()
    }
}
