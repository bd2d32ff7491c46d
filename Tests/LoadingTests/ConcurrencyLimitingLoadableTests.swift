//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import TestSupport
import Testing

@testable import Loading

@MainActor
@Suite("Limiting loaders", .timeLimit(.minutes(5)))
struct ConcurrencyLimitingLoadableTests {
    @Test("two bursts of ten never run more than the limit at once, in order, and leave no permit behind", arguments: [1, 3])
    func bursts(limit: Int) async {
        let loader = GatedLoader()
        let limited = ConcurrencyLimitingLoadable(wrapping: loader, concurrencyLimit: limit)
        for burst in 0..<2 {
            let loads = (0..<10).map { _ in Task { await limited.load() } }
            for number in 1...10 {
                let fetch = burst * 10 + number
                await loader.started.reaches(fetch)
                #expect(loader.executing <= limit)
                loader.succeed(fetch, fetch)
            }
            for load in loads { await load.value }
            #expect(loader.mostExecuting == limit)
            #expect(limited.permits.held == 0)
            #expect(limited.permits.waiterCount == 0)
            #expect(limited.currentState == .loaded(burst * 10 + 10))
        }
    }

    @Test("a newcomer does not overtake a waiter to whom the permit was just handed")
    func overtaking() async {
        var order: [String] = []
        let turn = Tally()
        let gate = GatedLoader()
        let loader = BlockLoadable {
            await gate.load()
            turn.add()
            return turn.count
        }
        let limited = ConcurrencyLimitingLoadable(wrapping: loader, concurrencyLimit: 1)
        let first = Task {
            await limited.load(); order.append("first")
        }
        await gate.started.reaches(1)
        let second = Task {
            await limited.load(); order.append("second")
        }
        await isWaiting(1, in: limited)
        gate.succeed(1)
        await first.value
        let newcomer = Task {
            await limited.load(); order.append("newcomer")
        }
        for number in 2...3 {
            await gate.started.reaches(number)
            gate.succeed(number)
        }
        await second.value
        await newcomer.value
        #expect(order == ["first", "second", "newcomer"])
    }

    @Test("a cancelled waiter returns at once, does not run, and takes no permit")
    func cancelledWaiter() async {
        let loader = GatedLoader()
        let limited = ConcurrencyLimitingLoadable(wrapping: loader, concurrencyLimit: 1)
        let running = Task { await limited.load() }
        await loader.started.reaches(1)
        let waiter = Task { await limited.load() }
        await isWaiting(1, in: limited)
        waiter.cancel()
        #expect(limited.permits.waiterCount == 0)
        await waiter.value
        #expect(loader.started.count == 1)
        loader.succeed(1, 1)
        await running.value
        #expect(limited.permits.held == 0)
        let next = Task { await limited.load() }
        await loader.started.reaches(2)
        loader.succeed(2, 2)
        await next.value
        #expect(limited.currentState == .loaded(2))
    }

    @Test("a waiter cancelled with the permit in hand gives it back and does not run")
    func cancelledAtHandOver() async {
        let loader = GatedLoader()
        let limited = ConcurrencyLimitingLoadable(wrapping: loader, concurrencyLimit: 1)
        let running = Task { await limited.load() }
        await loader.started.reaches(1)
        let waiter = Task { await limited.load() }
        await isWaiting(1, in: limited)
        limited.permits.release()
        #expect(limited.permits.held == 1)
        waiter.cancel()
        await waiter.value
        #expect(loader.started.count == 1)
        #expect(limited.permits.held == 0)
        loader.succeed(1)
        _ = limited.permits.request()
        await running.value
    }

    @Test(
        "whatever the wrapped loader does about cancellation: a permit that was on its way is given back unused",
        arguments: ["caller", "cancel", "reset"])
    func endedAtHandOver(by end: String) async {
        let loader = OneShotLoader()
        let limited = ConcurrencyLimitingLoadable(wrapping: loader, concurrencyLimit: 1)
        _ = limited.permits.request()
        let waiter = Task { await limited.load() }
        await isWaiting(1, in: limited)
        limited.permits.release()
        switch end {
        case "caller": waiter.cancel()
        case "cancel": limited.cancel()
        default: limited.reset()
        }
        await waiter.value
        #expect(loader.currentState == .idle)
        #expect(limited.permits.held == 0)
    }

    @Test("cancel and reset free all waiters at once and leave no observer at loading", arguments: [true, false])
    func freeing(resets: Bool) async {
        let loader = GatedLoader()
        let limited = ConcurrencyLimitingLoadable(wrapping: loader, concurrencyLimit: 2)
        let observer = await Recorder.watching(limited)
        let loads = (0..<6).map { _ in Task { await limited.load() } }
        await loader.started.reaches(2)
        await isWaiting(4, in: limited)
        await observer.sees(.loading(nil))
        if resets { limited.reset() } else { limited.cancel() }
        #expect(limited.permits.waiterCount == 0)
        for load in loads { await load.value }
        #expect(loader.started.count == 2)
        #expect(limited.permits.held == 0)
        #expect(limited.currentState == .idle)
        await observer.sees(.idle)
    }

    @Test("a call cancelled before it starts asks for nothing")
    func cancelledBefore() async {
        let loader = ScriptedLoader("s")
        let limited = ConcurrencyLimitingLoadable(wrapping: loader, concurrencyLimit: 1)
        let load = Task { await limited.load() }
        load.cancel()
        await load.value
        #expect(loader.runs.count == 0)
    }

    @Test("when load returns, the state shows the outcome already")
    func outcome() async {
        let limited = ConcurrencyLimitingLoadable(wrapping: ScriptedLoader("sf"), concurrencyLimit: 1)
        await limited.load()
        #expect(limited.currentState == .loaded("1"))
        await limited.load()
        #expect(limited.currentState.error as? Flaw == .broken)
    }

    @Test("more callers than may wait see the limit as a failure")
    func refusal() async {
        let loader = GatedLoader()
        let limited = ConcurrencyLimitingLoadable(wrapping: loader, concurrencyLimit: 0, waiterLimit: 0)
        let running = Task { await limited.load() }
        await loader.started.reaches(1)
        await limited.load()
        let error = limited.currentState.error as? ConcurrencyLimitError
        #expect(error == ConcurrencyLimitError(.tooManyWaiting, concurrencyLimit: 1, waiterLimit: 0))
        loader.succeed(1, 1)
        await running.value
        #expect(limited.currentState == .loaded(1))
    }

    @Test("a wrapped loader whose state bears one iteration is iterated once")
    func oneShot() async {
        let loader = OneShotLoader()
        let limited = ConcurrencyLimitingLoadable(wrapping: loader, concurrencyLimit: 1)
        let observers = [await Recorder.watching(limited), await Recorder.watching(limited)]
        await limited.load()
        for observer in observers { await observer.sees(.loaded(1)) }
        #expect(loader.iterations.count == 1)
    }

    /// Returns when a number of calls wait: tasks that were made before this one have run by then, as the main actor runs them in order.
    private func isWaiting<Base: Loadable>(_ count: Int, in limited: ConcurrencyLimitingLoadable<Base>) async {
        await Task { @MainActor in }.value
        #expect(limited.permits.waiterCount == count)
    }
}
