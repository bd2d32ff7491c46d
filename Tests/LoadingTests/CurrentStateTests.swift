//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Observation
import TestSupport
import Testing

@testable import Loading

@MainActor
@Suite("The state of a stack is never behind the loader inside", .timeLimit(.minutes(5)))
struct CurrentStateTests {
    private let clock = ManualClock()
    private let loader = GatedLoader()

    private func stacks() async -> [any Loadable<Int>] {
        let limited = ConcurrencyLimitingLoadable(wrapping: loader, concurrencyLimit: 2)
        return [
            limited, RetryableLoader(base: loader, clock: clock),
            await DebouncingLoadable(wrapping: loader, executeFirstImmediately: true, clock: clock),
            RetryableLoader(base: limited, clock: clock),
        ]
    }

    @Test("each decorator shows loading and the outcome in the moment when the loader does")
    func atOnce() async {
        for stack in await stacks() {
            loader.updateState(.loading(LoadingProgress(percent: 1)))
            #expect(stack.currentState == .loading(LoadingProgress(percent: 1)))
            loader.updateState(.loaded(1))
            #expect(stack.currentState == .loaded(1))
            loader.reset()
            #expect(stack.currentState == .idle)
        }
    }

    @Test("two calls in one turn that do not load while loading are one load, whatever is stacked")
    func duplicates() async {
        for (index, stack) in await stacks().enumerated() {
            let first = Task.immediate { await stack.loadIfNotLoading() }
            let second = Task.immediate { await stack.loadIfNotLoading() }
            await loader.started.reaches(index + 1)
            loader.succeed(index + 1, 1)
            await first.value
            await second.value
            #expect(loader.started.count == index + 1)
            loader.reset()
        }
    }

    @Test("two views of one decorated loader that appear together load once")
    func views() async {
        let limited = ConcurrencyLimitingLoadable(wrapping: loader, concurrencyLimit: 2)
        let host = ViewHost {
            LoadingView(loader: limited) { Text("first \($0)") }
            LoadingView(loader: limited) { Text("second \($0)") }
        }
        _ = host.render()
        await loader.started.reaches(1)
        await Task { @MainActor in }.value
        #expect(loader.started.count == 1)
        loader.succeed(1, 1)
        let observer = await Recorder.watching(limited)
        await observer.sees(.loaded(1))
        #expect(host.render() == ["first 1", "second 1"])
    }

    @Test("the Observation framework tells readers of a decorator, also over a loader that is not observable")
    func observation() async {
        let foreign = OneShotLoader()
        let limited = ConcurrencyLimitingLoadable(wrapping: foreign, concurrencyLimit: 1)
        let told = Tally()
        withObservationTracking {
            _ = limited.currentState
        } onChange: {
            MainActor.assumeIsolated { told.add() }
        }
        await foreign.load()
        await told.reaches(1)
        #expect(limited.currentState == .loaded(1))
    }

    @Test("a refused call is shown until the loader inside shows something new")
    func refusal() async {
        let limited = ConcurrencyLimitingLoadable(wrapping: loader, concurrencyLimit: 1, waiterLimit: 0)
        let observer = await Recorder.watching(limited)
        let running = Task { await limited.load() }
        await loader.started.reaches(1)
        await limited.load()
        #expect(limited.currentState.error is ConcurrencyLimitError)
        await observer.sees { $0.error is ConcurrencyLimitError }
        await Task { @MainActor in }.value
        #expect(limited.currentState.error is ConcurrencyLimitError)
        loader.updateState(.loading(LoadingProgress(percent: 50)))
        #expect(limited.currentState == .loading(LoadingProgress(percent: 50)))
        await limited.load()
        limited.cancel()
        #expect(limited.currentState == .idle)
        await running.value
        await observer.sees(.idle)
        limited.reset()
        _ = limited.permits.request()
        await limited.load()
        await observer.sees { $0.error is ConcurrencyLimitError }
        limited.cancel()
        #expect(limited.currentState == .idle)
        await observer.sees(.idle)
        limited.permits.release()
    }
}
