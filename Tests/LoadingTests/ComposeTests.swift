//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import TestSupport
import Testing

@testable import Loading

/// Each row of the table in the guide "Compose loaders" is the test that begins with its order.
@MainActor
@Suite("What the order of decorators means", .timeLimit(.minutes(5)))
struct ComposeTests {
    private let clock = ManualClock()

    @Test("debounce(retry(x)): a burst becomes one load, which is retried without being debounced again")
    func debounceRetry() async {
        let loader = ScriptedLoader("fs")
        let stack = await DebouncingLoadable(wrapping: RetryableLoader(base: loader, clock: clock), clock: clock)
        let observer = await Recorder.watching(stack)
        for _ in 0..<3 { await stack.load() }
        await clock.whenAsleep(until: .milliseconds(300))
        clock.advance(to: .milliseconds(300))
        await clock.whenAsleep(until: .milliseconds(1300))
        clock.advance(to: .milliseconds(1300))
        await observer.sees(.loaded("2"))
        #expect(loader.runs.count == 2)
        #expect(clock.deadlines.isEmpty)
    }

    @Test("retry(debounce(x)): load returns at once, and every attempt is debounced")
    func retryDebounce() async {
        let loader = ScriptedLoader("fs")
        let stack = RetryableLoader(base: await DebouncingLoadable(wrapping: loader, clock: clock), clock: clock)
        let observer = await Recorder.watching(stack)
        for _ in 0..<3 { await stack.load() }
        await clock.whenAsleep(until: .milliseconds(300))
        clock.advance(to: .milliseconds(300))
        await clock.whenAsleep(until: .milliseconds(1300))
        clock.advance(to: .milliseconds(1300))
        await clock.whenAsleep(until: .milliseconds(1600))
        #expect(loader.runs.count == 1)
        clock.advance(to: .milliseconds(1600))
        await observer.sees(.loaded("2"))
    }

    @Test("debounce(limit(x)): a burst asks for one permit, and the limit bounds the runs")
    func debounceLimit() async {
        let loader = GatedLoader()
        let limited = ConcurrencyLimitingLoadable(wrapping: loader, concurrencyLimit: 1)
        let stack = await DebouncingLoadable(wrapping: limited, clock: clock)
        for _ in 0..<3 { await stack.load() }
        await clock.whenAsleep(until: .milliseconds(300))
        clock.advance(to: .milliseconds(300))
        await loader.started.reaches(1)
        #expect(limited.permits.held == 1)
        #expect(limited.permits.waiterCount == 0)
        await stack.load()
        await clock.whenAsleep(1)
        clock.advance(to: .milliseconds(600))
        loader.succeed(1, 1)
        await loader.started.reaches(2)
        #expect(loader.mostExecuting == 1)
        loader.succeed(2, 2)
    }

    @Test("limit(debounce(x)): the permit covers the hand-off, so the runs are not bounded")
    func limitDebounce() async {
        let loader = GatedLoader()
        let debounced = await DebouncingLoadable(wrapping: loader, clock: clock)
        let stack = ConcurrencyLimitingLoadable(wrapping: debounced, concurrencyLimit: 1)
        for round in 1...2 {
            await stack.load()
            #expect(stack.permits.held == 0)
            #expect(stack.isLoadPending)
            await clock.whenAsleep(1)
            clock.advance(by: .milliseconds(300))
            await loader.started.reaches(round)
        }
        #expect(loader.executing == 2)
        loader.succeed(1)
        loader.succeed(2)
    }

    @Test("retry(limit(x)): the permit is given back during back-off, and each attempt waits in line again")
    func retryLimit() async {
        let loader = GatedLoader()
        let limited = ConcurrencyLimitingLoadable(wrapping: loader, concurrencyLimit: 1)
        let stack = RetryableLoader(base: limited, clock: clock)
        let first = Task { await stack.load() }
        await loader.started.reaches(1)
        loader.fail(1)
        await clock.whenAsleep(1)
        #expect(limited.permits.held == 0)
        let other = Task { await limited.load() }
        await loader.started.reaches(2)
        clock.advance(by: .seconds(1))
        loader.succeed(2, 2)
        await loader.started.reaches(3)
        loader.succeed(3, 3)
        await first.value
        await other.value
        #expect(loader.mostExecuting == 1)
        #expect(stack.currentState == .loaded(3))
    }

    @Test("limit(retry(x)): the permit is kept through all attempts and waits of a load")
    func limitRetry() async {
        let loader = GatedLoader()
        let stack = ConcurrencyLimitingLoadable(wrapping: RetryableLoader(base: loader, clock: clock), concurrencyLimit: 1)
        let first = Task { await stack.load() }
        await loader.started.reaches(1)
        let second = Task { await stack.load() }
        loader.fail(1)
        await clock.whenAsleep(1)
        #expect(stack.permits.held == 1)
        #expect(stack.permits.waiterCount == 1)
        clock.advance(by: .seconds(1))
        await loader.started.reaches(2)
        loader.succeed(2, 2)
        await first.value
        await loader.started.reaches(3)
        loader.succeed(3, 3)
        await second.value
        #expect(stack.currentState == .loaded(3))
    }

    @Test("limit(retry(debounce(x))): load returns at once; attempts are debounced in the background; the limit bounds nothing but calls")
    func guideStack() async {
        let loader = ScriptedLoader("fs")
        let debounced = await DebouncingLoadable(wrapping: loader, clock: clock)
        let stack = ConcurrencyLimitingLoadable(
            wrapping: RetryableLoader(base: debounced, maxAttempts: 2, clock: clock), concurrencyLimit: 1)
        let observer = await Recorder.watching(stack)
        await stack.load()
        #expect(stack.permits.held == 0)
        await clock.whenAsleep(until: .milliseconds(300))
        clock.advance(to: .milliseconds(300))
        await clock.whenAsleep(until: .milliseconds(1300))
        await observer.sees(.loading(LoadingProgress(message: "Retrying… (attempt 2 of 2)")))
        clock.advance(to: .milliseconds(1300))
        await clock.whenAsleep(until: .milliseconds(1600))
        clock.advance(to: .milliseconds(1600))
        await observer.sees(.loaded("2"))
    }

    @Test("debounce(retry(limit(x))): a burst becomes one load; its attempts are bounded; others run during its back-off")
    func searchStack() async {
        let loader = GatedLoader()
        let limited = ConcurrencyLimitingLoadable(wrapping: loader, concurrencyLimit: 1)
        let stack = await DebouncingLoadable(
            wrapping: RetryableLoader(base: limited, clock: clock), executeFirstImmediately: true, clock: clock)
        let first = Task { await stack.load() }
        await loader.started.reaches(1)
        await stack.load()
        await stack.load()
        loader.fail(1)
        await clock.whenAsleep(until: .seconds(1))
        #expect(limited.permits.held == 0)
        clock.advance(to: .milliseconds(300))
        await loader.started.reaches(2)
        loader.succeed(2, 2)
        await first.value
        #expect(stack.currentState == .loaded(2))
        #expect(loader.started.count == 2)
    }

    @Test("a stack over any loader mirrors what that loader does by itself, to all observers")
    func mirrors() async {
        let loader = OneShotLoader()
        let stack = ConcurrencyLimitingLoadable(
            wrapping: RetryableLoader(base: await DebouncingLoadable(wrapping: loader, clock: clock), clock: clock), concurrencyLimit: 1)
        let observers = [await Recorder.watching(stack), await Recorder.watching(stack)]
        await loader.load()
        for observer in observers { await observer.sees(.loaded(1)) }
        stack.reset()
        for observer in observers { await observer.sees(.idle) }
        #expect(loader.iterations.count == 1)
    }
}
