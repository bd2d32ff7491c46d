//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Observation
import Testing

@testable import Loading

/// The Observation framework calls back in the middle of a change; what it calls may change the loader again.
@MainActor
@Suite("Loaders that are changed while they change", .timeLimit(.minutes(5)))
struct ReentrancyTests {
    /// Does something at the next change of what is read, before whoever changed it goes on.
    private func atNextChange(of read: () -> Void, _ action: @escaping @MainActor () -> Void) {
        var next: (@MainActor () -> Void)? = action
        withObservationTracking(read) {
            // A change that the action makes is told as well.
            MainActor.assumeIsolated { next.take()?() }
        }
    }

    private func atNextChange(of loader: some Loadable<Int>, _ action: @escaping @MainActor () -> Void) {
        atNextChange(of: { _ = loader.currentState }, action)
    }

    @Test("a load that is cancelled by whom it tells that it loads does not fetch, and leaves nobody at loading", arguments: [true, false])
    func endedWhenToldOfLoading(resets: Bool) async {
        let loader = GatedLoader()
        let observer = await Recorder.watching(loader)
        atNextChange(of: loader) { if resets { loader.reset() } else { loader.cancel() } }
        await loader.load()
        #expect(loader.currentState == .idle)
        #expect(loader.started.count == 0)
        #expect(loader.isCanceled == !resets)
        await observer.sees(.idle)
    }

    @Test("a loader that is reset by whom it tells its outcome stays idle")
    func resetWhenToldOfOutcome() async {
        let loader = GatedLoader()
        let load = Task { await loader.load() }
        await loader.started.reaches(1)
        let observer = await Recorder.watching(loader)
        atNextChange(of: loader) { loader.reset() }
        loader.succeed(1, 1)
        await load.value
        #expect(loader.currentState == .idle)
        await observer.sees(.idle)
    }

    @Test("a loader that is reset by whom it tells that it is cancelled is not cancelled")
    func resetWhenToldOfCancel() async {
        let loader = GatedLoader()
        loader.updateState(.loaded(7))
        let cancelled = Task { await loader.load() }
        await loader.started.reaches(1)
        let observer = await Recorder.watching(loader)
        atNextChange(of: { _ = loader.isCanceled }) {
            #expect(loader.isCanceled)
            loader.reset()
        }
        loader.cancel()
        await cancelled.value
        #expect(!loader.isCanceled)
        #expect(loader.currentState == .idle)
        await observer.sees(.idle)
        let load = Task { await loader.load() }
        await loader.started.reaches(2)
        loader.succeed(2, 2)
        await load.value
        #expect(loader.currentState == .loaded(2))
    }

    @Test("a load that is started by whom it tells of a cancel and reset is not taken for one of those that were cancelled")
    func loadWhenToldOfReset() async {
        let loader = GatedLoader()
        let first = Task { await loader.load() }
        await loader.started.reaches(1)
        var second: Task<Void, Never>?
        atNextChange(of: loader) { second = Task.immediate { await loader.load() } }
        loader.reset()
        await first.value
        await loader.started.reaches(2)
        loader.succeed(2, 2)
        await second?.value
        #expect(loader.currentState == .loaded(2))
    }

    @Test("a fetch that cancels its own loader before its first await is cancelled itself", arguments: [true, false])
    func fetchEndsItself(resets: Bool) async {
        final class Ending: BaseLoadable<Int> {
            let endless = StateRelay(0)
            let resets: Bool
            init(resets: Bool) {
                self.resets = resets
                super.init()
            }
            override func fetch() async throws -> Int {
                if resets { reset() } else { cancel() }
                // Ends by cancellation alone.
                for await _ in endless.stream {}
                return 1
            }
        }
        let loader = Ending(resets: resets)
        await loader.load()
        #expect(loader.currentState == .idle)
    }

    @Test("a stack that is cancelled by whom it tells that it loads leaves nobody at loading")
    func stack() async {
        let loader = GatedLoader()
        let limited = ConcurrencyLimitingLoadable(wrapping: loader, concurrencyLimit: 1)
        let stack = RetryableLoader(base: limited)
        let observer = await Recorder.watching(stack)
        atNextChange(of: stack) { stack.cancel() }
        await stack.load()
        #expect(stack.currentState == .idle)
        #expect(limited.permits.held == 0)
        await observer.sees(.idle)
    }
}
