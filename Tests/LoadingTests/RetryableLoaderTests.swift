//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import TestSupport
import Testing

@testable import Loading

@MainActor
@Suite("Retrying loaders", .timeLimit(.minutes(5)))
struct RetryableLoaderTests {
    private let clock = ManualClock()

    @Test("a load lasts through its retries and shows each attempt")
    func retries() async {
        let loader = ScriptedLoader("ffs")
        let retryable = RetryableLoader(base: loader, maxAttempts: 3, clock: clock)
        let observer = await Recorder.watching(retryable)
        let load = Task { await retryable.load() }
        await clock.whenAsleep(until: .seconds(1))
        await observer.sees(.loading(LoadingProgress(message: "Retrying… (attempt 2 of 3)")))
        clock.advance(by: .seconds(1))
        await clock.whenAsleep(until: .seconds(3))
        await observer.sees(.loading(LoadingProgress(message: "Retrying… (attempt 3 of 3)")))
        clock.advance(by: .seconds(2))
        await load.value
        #expect(retryable.currentState == .loaded("3"))
        #expect(!observer.states.contains { $0.error != nil })
    }

    @Test("the count begins anew with each load")
    func countPerLoad() async {
        let loader = ScriptedLoader("fffffff")
        let retryable = RetryableLoader(wrapping: loader, maxAttempts: 2, clock: clock)
        for round in 1...3 {
            let load = Task { await retryable.load() }
            await clock.whenAsleep(1)
            clock.advance(by: .seconds(1))
            await load.value
            #expect(loader.runs.count == 2 * round)
            #expect(retryable.currentState.error as? Flaw == .broken)
        }
    }

    @Test("the waits follow the back-off that was given: its cap, and its jitter by the random numbers that were given")
    func backoff() async {
        let loader = ScriptedLoader("f")
        let backoff = RetryBackoff(cap: .seconds(3), jitter: 0.5)
        let retryable = RetryableLoader(base: loader, maxAttempts: 4, backoff: backoff, clock: clock, random: { 0.5 })
        let load = Task { await retryable.load() }
        for wait in [0.75, 1.5, 2.25] {
            await clock.whenAsleep(1)
            let deadline = clock.now.offset + .seconds(wait)
            #expect(clock.deadlines == [deadline])
            clock.advance(to: deadline)
        }
        await load.value
        #expect(loader.runs.count == 4)
    }

    @Test("a cancellation is not retried")
    func cancellation() async {
        let loader = ScriptedLoader("cf")
        let retryable = RetryableLoader(base: loader, maxAttempts: 3, clock: clock)
        await retryable.load()
        #expect(loader.runs.count == 1)
        #expect(retryable.currentState == .idle)
    }

    @Test("reset and cancel in back-off end the load at once and no attempt follows", arguments: [true, false])
    func endInBackoff(resets: Bool) async {
        let loader = ScriptedLoader("sff")
        let retryable = RetryableLoader(base: loader, maxAttempts: 3, clock: clock)
        await retryable.load()
        let observer = await Recorder.watching(retryable)
        let load = Task { await retryable.load() }
        await clock.whenAsleep(1)
        await observer.sees { $0.isLoading }
        if resets { retryable.reset() } else { retryable.cancel() }
        await load.value
        await clock.whenAsleep(0)
        clock.advance(by: .seconds(60))
        let rest: LoadingState<String> = resets ? .idle : .loaded("1")
        #expect(retryable.currentState == rest)
        await observer.sees(rest)
        #expect(loader.runs.count == 2)
        #expect(retryable.isCanceled == !resets)
    }

    @Test("cancelling the caller in back-off ends its load and shows what was there before")
    func callerCancellation() async {
        let loader = ScriptedLoader("f")
        let retryable = RetryableLoader(base: loader, maxAttempts: 3, clock: clock)
        let early = Task { await retryable.load() }
        early.cancel()
        await early.value
        #expect(loader.runs.count == 0)
        let load = Task { await retryable.load() }
        await clock.whenAsleep(1)
        load.cancel()
        await load.value
        await clock.whenAsleep(0)
        #expect(retryable.currentState == .idle)
        #expect(loader.runs.count == 1)
        #expect(!retryable.isCanceled)
    }

    @Test("no attempt follows the cancellation of the caller, whatever the wrapped loader does about it")
    func callerCancellationForeign() async {
        let loader = OneShotLoader(fails: true)
        let retryable = RetryableLoader(base: loader, maxAttempts: 3, clock: clock)
        let load = Task { await retryable.load() }
        await clock.whenAsleep(1)
        load.cancel()
        await load.value
        #expect(loader.loads == 1)
        #expect(retryable.currentState == .idle)
    }

    @Test("cancelling while an attempt runs leaves nobody at loading")
    func cancelWhileRunning() async {
        let loader = GatedLoader()
        let retryable = RetryableLoader(base: loader, maxAttempts: 3, clock: clock)
        let observer = await Recorder.watching(retryable)
        let load = Task { await retryable.load() }
        await loader.started.reaches(1)
        loader.fail(1)
        await clock.whenAsleep(1)
        clock.advance(by: .seconds(1))
        await loader.started.reaches(2)
        retryable.cancel()
        await load.value
        #expect(retryable.currentState == .idle)
        await observer.sees(.idle)
    }

    @Test("over a debouncer the load returns at once and goes on in the background")
    func deferred() async {
        let loader = ScriptedLoader("fs")
        let debounced = await DebouncingLoadable(wrapping: loader, clock: clock)
        let retryable = RetryableLoader(base: debounced, maxAttempts: 2, clock: clock)
        let observer = await Recorder.watching(retryable)
        await retryable.load()
        await retryable.load()
        await clock.whenAsleep(until: .milliseconds(300))
        clock.advance(by: .milliseconds(300))
        await clock.whenAsleep(until: .milliseconds(1300))
        await observer.sees(.loading(LoadingProgress(message: "Retrying… (attempt 2 of 2)")))
        clock.advance(by: .seconds(1))
        await clock.whenAsleep(until: .milliseconds(1600))
        clock.advance(by: .milliseconds(300))
        await observer.sees(.loaded("2"))
        #expect(loader.runs.count == 2)
    }

    @Test("a reset and a cancel end what goes on in the background, and leave no observer at loading", arguments: [true, false])
    func endInBackgroundWait(resets: Bool) async {
        let loader = ScriptedLoader("f")
        let debounced = await DebouncingLoadable(wrapping: loader, clock: clock)
        let retryable = RetryableLoader(base: debounced, maxAttempts: 5, clock: clock)
        await retryable.load()
        await clock.whenAsleep(until: .milliseconds(300))
        clock.advance(by: .milliseconds(300))
        await clock.whenAsleep(until: .milliseconds(1300))
        let observer = await Recorder.watching(retryable)
        await observer.sees { $0.isLoading }
        if resets { retryable.reset() } else { retryable.cancel() }
        await clock.whenAsleep(0)
        clock.advance(by: .seconds(60))
        #expect(loader.runs.count == 1)
        #expect(retryable.currentState == .idle)
        await observer.sees(.idle)
    }

    @Test("a wait in the background dies with the loader")
    func endInBackground() async {
        let loader = ScriptedLoader("f")
        let debounced = await DebouncingLoadable(wrapping: loader, clock: clock)
        var retryable: RetryableLoader? = RetryableLoader(base: debounced, maxAttempts: 5, clock: clock)
        await retryable?.load()
        await clock.whenAsleep(until: .milliseconds(300))
        clock.advance(by: .milliseconds(300))
        await clock.whenAsleep(until: .milliseconds(1300))
        weak let gone = retryable
        retryable = nil
        #expect(gone == nil)
        #expect(clock.deadlines == [], "nobody waits any more")
        #expect(loader.runs.count == 1)
    }

    @Test("an attempt that executes in the background is not cut off by a newer load")
    func newerLoad() async {
        let loader = GatedLoader()
        let debounced = await DebouncingLoadable(wrapping: loader, executeFirstImmediately: true, clock: clock)
        let retryable = RetryableLoader(base: debounced, clock: clock)
        let first = Task.immediate { await retryable.load() }
        await retryable.load()
        loader.fail(1)
        await first.value
        await clock.whenAsleep(until: .milliseconds(300))
        clock.advance(to: .milliseconds(300))
        await loader.started.reaches(2)
        loader.fail(2)
        // The trailing run's failure is retried in the background, after a quiet interval: that attempt runs now and is awaited.
        await clock.whenAsleep(until: .milliseconds(1300))
        clock.advance(to: .milliseconds(1300))
        await loader.started.reaches(3)
        let newer = Task.immediate { await retryable.load() }
        loader.succeed(3, 3)
        let observer = await Recorder.watching(retryable)
        await observer.sees(.loaded(3))
        await newer.value
        retryable.reset()
    }

    @Test("a wrapped loader whose state bears one iteration is iterated once")
    func oneShot() async {
        let loader = OneShotLoader()
        let retryable = RetryableLoader(base: loader, clock: clock)
        let observers = [await Recorder.watching(retryable), await Recorder.watching(retryable)]
        await retryable.load()
        for observer in observers { await observer.sees(.loaded(1)) }
        #expect(loader.iterations.count == 1)
    }
}
