//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import TestSupport
import Testing

@testable import Loading

@MainActor
@Suite("Debouncing loaders", .timeLimit(.minutes(5)))
struct DebouncingLoadableTests {
    private let clock = ManualClock()

    @Test("a burst of calls returns at once and becomes one run after the interval")
    func burst() async {
        let loader = ScriptedLoader("s")
        let debounced = await DebouncingLoadable(wrapping: loader, clock: clock)
        let observer = await Recorder.watching(debounced)
        for _ in 0..<5 { await debounced.load() }
        #expect(loader.runs.count == 0)
        #expect(debounced.isLoadPending)
        await clock.whenAsleep(until: .milliseconds(300))
        clock.advance(by: .milliseconds(300))
        await observer.sees(.loaded("1"))
        #expect(loader.runs.count == 1)
        #expect(clock.deadlines.isEmpty)
        #expect(!debounced.isLoadPending)
    }

    @Test("immediate first: the first call is awaited, calls at 50 and 100 ms run once at 400 ms")
    func immediate() async {
        let loader = ScriptedLoader("sss")
        let debounced = await DebouncingLoadable(wrapping: loader, debounceInterval: 0.3, executeFirstImmediately: true, clock: clock)
        let observer = await Recorder.watching(debounced)
        await debounced.load()
        #expect(debounced.currentState == .loaded("1"))
        clock.advance(to: .milliseconds(50))
        await debounced.load()
        await clock.whenAsleep(until: .milliseconds(350))
        clock.advance(to: .milliseconds(100))
        await debounced.load()
        clock.advance(to: .milliseconds(350))
        await clock.whenAsleep(until: .milliseconds(400))
        #expect(loader.runs.count == 1)
        clock.advance(to: .milliseconds(400))
        await observer.sees(.loaded("2"))
        #expect(loader.runs.count == 2)
    }

    @Test("a pending call is dropped by reset and by cancel")
    func dropped() async {
        let loader = ScriptedLoader("s")
        let debounced = await DebouncingLoadable(wrapping: loader, clock: clock)
        await debounced.load()
        await clock.whenAsleep(1)
        debounced.reset()
        await clock.whenAsleep(0)
        await debounced.load()
        await clock.whenAsleep(1)
        debounced.cancel()
        await clock.whenAsleep(0)
        clock.advance(by: .seconds(10))
        #expect(loader.runs.count == 0)
        #expect(!debounced.isLoadPending)
        #expect(debounced.isCanceled)
    }

    @Test("reset opens the gate of the immediate first call")
    func gate() async {
        let loader = ScriptedLoader("ss")
        let debounced = await DebouncingLoadable(wrapping: loader, executeFirstImmediately: true, clock: clock)
        await debounced.load()
        debounced.reset()
        #expect(debounced.currentState == .idle)
        await debounced.load()
        #expect(debounced.currentState == .loaded("2"))
    }

    @Test("a new call does not cancel a run that is executing")
    func executing() async {
        let loader = GatedLoader()
        let debounced = await DebouncingLoadable(wrapping: loader, executeFirstImmediately: true, clock: clock)
        let observer = await Recorder.watching(debounced)
        let first = Task { await debounced.load() }
        await loader.started.reaches(1)
        await debounced.load()
        loader.succeed(1, 1)
        await first.value
        #expect(debounced.currentState == .loaded(1))
        await clock.whenAsleep(1)
        clock.advance(by: .milliseconds(300))
        await loader.started.reaches(2)
        loader.succeed(2, 2)
        await observer.sees(.loaded(2))
    }

    @Test("cancel ends a trailing run that executes")
    func cancelTrailing() async {
        let loader = GatedLoader()
        let debounced = await DebouncingLoadable(wrapping: loader, clock: clock)
        let observer = await Recorder.watching(debounced)
        await debounced.load()
        await clock.whenAsleep(1)
        clock.advance(by: .milliseconds(300))
        await loader.started.reaches(1)
        await observer.sees(.loading(nil))
        debounced.cancel()
        #expect(debounced.currentState == .idle)
        await observer.sees(.idle)
    }

    @Test(
        "a run that does not react to its end is no longer outstanding: what is stacked above does not wait for it",
        arguments: [true, false])
    func stubbornRun(resets: Bool) async {
        let loader = GatedLoader(reactsToCancellation: false)
        let debounced = await DebouncingLoadable(wrapping: loader, clock: clock)
        let retryable = RetryableLoader(base: debounced, maxAttempts: 2, clock: clock)
        await retryable.load()
        await clock.whenAsleep(until: .milliseconds(300))
        clock.advance(by: .milliseconds(300))
        await loader.started.reaches(1)
        #expect(debounced.isLoadPending)
        if resets { retryable.reset() } else { retryable.cancel() }
        #expect(!debounced.isLoadPending)
        retryable.reset()
        await retryable.load()
        await clock.whenAsleep(until: .milliseconds(600))
        clock.advance(by: .milliseconds(300))
        await loader.started.reaches(2)
        loader.fail(2)
        await clock.whenAsleep(until: .milliseconds(1600))
        retryable.reset()
        loader.succeed(1)
    }

    @Test("a wrapped loader whose state bears one iteration is iterated once, and everybody sees the outcome")
    func oneShot() async {
        let loader = OneShotLoader()
        let debounced = await DebouncingLoadable(wrapping: loader, executeFirstImmediately: true, clock: clock)
        let observers = [await Recorder.watching(debounced), await Recorder.watching(debounced)]
        await debounced.load()
        for observer in observers { await observer.sees(.loaded(1)) }
        #expect(loader.iterations.count == 1)
        await loader.load()
        for observer in observers { await observer.sees(.loaded(2)) }
    }

    @Test("odd intervals are made harmless", arguments: [-1, Double.nan, .infinity, -.infinity])
    func interval(seconds: Double) async {
        let debounced = await DebouncingLoadable(
            wrapping: ScriptedLoader("s"), debounceInterval: seconds, executeFirstImmediately: true, clock: clock)
        await debounced.load()
        #expect(debounced.currentState == .loaded("1"))
    }
}
