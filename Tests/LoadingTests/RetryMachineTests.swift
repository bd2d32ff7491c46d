//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Testing

@testable import Loading

@Suite("The retry machine")
struct RetryMachineTests {
    /// Plays one load whose attempts take no time, one letter of the script each: f fails, s succeeds, c is cancelled.
    /// A column of the answer is a second: the outcome stands where its attempt was made.
    private func play(_ script: String, maxAttempts: Int, backoff: RetryBackoff = RetryBackoff(), random: Double = 0) -> String {
        var machine = RetryMachine<Int>(maxAttempts: maxAttempts, backoff: backoff)
        var picture = ""
        let load = machine.started(over: .idle)
        for letter in script {
            let outcome: LoadingState<Int> =
                switch letter {
                case "s": .loaded(1)
                case "c": .failure(CancellationError())
                default: .failure(Flaw.broken)
                }
            picture.append(letter)
            switch machine.returned(load, showing: outcome, isPending: false, isCanceled: false, random: random) {
            case .finish, .watch:
                return picture
            case .wait(let delay):
                picture += String(repeating: ".", count: Int(delay.components.seconds) - 1)
                #expect(machine.backoffEnded(load, over: outcome) == true)
            }
        }
        return picture + "?"
    }

    @Test("attempt n waits 2^(n-2) seconds, and the attempts are counted in total")
    func backoff() {
        #expect(play("ffffff", maxAttempts: 5) == "ff.f...f.......f")
        #expect(play("fffs", maxAttempts: 9) == "ff.f...s")
        #expect(play("s", maxAttempts: 3) == "s")
    }

    @Test("fewer than one attempt is one", arguments: [1, 0, -5])
    func atLeastOne(maxAttempts: Int) {
        #expect(play("ff", maxAttempts: maxAttempts) == "f")
    }

    @Test("a cancellation is never retried")
    func cancellation() {
        #expect(play("cf", maxAttempts: 3) == "c")
        #expect(play("fcf", maxAttempts: 3) == "fc")
    }

    @Test("waits are capped and jitter only shortens them")
    func capAndJitter() {
        #expect(play("ffffff", maxAttempts: 6, backoff: RetryBackoff(cap: .seconds(4))) == "ff.f...f...f...f")
        let jittered = RetryBackoff(jitter: 0.5)
        #expect(jittered.delay(before: 4, random: 0) == .seconds(4))
        #expect(jittered.delay(before: 4, random: 1) == .seconds(2))
        #expect(RetryBackoff(cap: .seconds(-1), jitter: 7) == RetryBackoff(cap: .zero, jitter: 1))
        #expect(RetryBackoff(jitter: .nan).jitter == 0)
        #expect(RetryBackoff().delay(before: .max, random: 0) == .seconds(3600))
        #expect(RetryBackoff().delay(before: 1, random: 0) == .zero)
    }

    @Test("while it waits it says which attempt is next, and the failure is not shown")
    func message() {
        var machine = RetryMachine<Int>(maxAttempts: 3, backoff: RetryBackoff())
        let load = machine.started(over: .idle)
        let failure = LoadingState<Int>.failure(Flaw.broken)
        #expect(machine.returned(load, showing: failure, isPending: false, isCanceled: false, random: 0) == .wait(.seconds(1)))
        #expect(machine.shown(over: failure) == .loading(LoadingProgress(message: "Retrying… (attempt 2 of 3)")))
        machine.cancelled()
        #expect(machine.shown(over: failure) == .idle)
        #expect(machine.backoffEnded(load, over: failure) == false)
    }

    @Test("a failure shown before the wrapped load returns is not shown when an attempt follows")
    func earlyFailure() {
        var machine = RetryMachine<Int>(maxAttempts: 2, backoff: RetryBackoff())
        let load = machine.started(over: .idle)
        let first = LoadingState<Int>.failure(Flaw.broken)
        #expect(machine.shown(over: first) == .loading(nil))
        #expect(machine.returned(load, showing: first, isPending: false, isCanceled: false, random: 0) == .wait(.seconds(1)))
        #expect(machine.backoffEnded(load, over: first) == true)
        let last = LoadingState<Int>.failure(Flaw.late)
        #expect(machine.returned(load, showing: last, isPending: false, isCanceled: false, random: 0) == .finish)
        #expect(machine.shown(over: last) == last)
    }

    @Test("the failure that was there before a load is not its outcome")
    func oldFailure() {
        let old = LoadingState<Int>.failure(Flaw.broken)
        var machine = RetryMachine<Int>(maxAttempts: 3, backoff: RetryBackoff(), settled: old)
        let load = machine.started(over: old)
        #expect(machine.returned(load, showing: old, isPending: false, isCanceled: false, random: 0) == .finish)
        #expect(machine.shown(over: old) == old)
    }

    @Test("a deferred load is watched until its outcome, and a newer load takes its place")
    func deferred() {
        var machine = RetryMachine<Int>(maxAttempts: 2, backoff: RetryBackoff())
        let first = machine.started(over: .idle)
        #expect(machine.returned(first, showing: .idle, isPending: true, isCanceled: false, random: 0) == .watch)
        let second = machine.started(over: .idle)
        #expect(!machine.isLive(first))
        #expect(machine.returned(second, showing: .idle, isPending: true, isCanceled: false, random: 0) == .watch)
        #expect(machine.changed(to: .loading(nil), isPending: true, random: 0) == [])
        let failure = LoadingState<Int>.failure(Flaw.broken)
        #expect(machine.changed(to: failure, isPending: false, random: 0) == [.init(load: second, delay: .seconds(1))])
        #expect(machine.changed(to: failure, isPending: false, random: 0) == [])
        #expect(machine.backoffEnded(second, over: failure) == true)
        #expect(machine.returned(second, showing: failure, isPending: true, isCanceled: false, random: 0) == .watch)
        #expect(machine.changed(to: .loaded(1), isPending: false, random: 0) == [])
        #expect(!machine.isLive(second))
    }

    @Test("each load counts for itself, and a success ends the waits of older loads")
    func overlapping() {
        var machine = RetryMachine<Int>(maxAttempts: 2, backoff: RetryBackoff())
        let old = machine.started(over: .idle)
        let failure = LoadingState<Int>.failure(Flaw.broken)
        #expect(machine.returned(old, showing: failure, isPending: false, isCanceled: false, random: 0) == .wait(.seconds(1)))
        let new = machine.started(over: failure)
        #expect(machine.returned(new, showing: .loaded(1), isPending: false, isCanceled: false, random: 0) == .finish)
        #expect(!machine.isLive(old))
        #expect(machine.backoffEnded(old, over: .loaded(1)) == false)
    }

    @Test("a failure that comes with the cancellation of the caller is not retried")
    func callerCancelled() {
        var machine = RetryMachine<Int>(maxAttempts: 2, backoff: RetryBackoff())
        let load = machine.started(over: .idle)
        let failure = LoadingState<Int>.failure(Flaw.broken)
        #expect(machine.returned(load, showing: failure, isPending: false, isCanceled: true, random: 0) == .finish)
        #expect(!machine.isLive(load))
    }

    @Test("a load that shares its outcome with another one does not watch it")
    func shared() {
        var machine = RetryMachine<Int>(maxAttempts: 2, backoff: RetryBackoff())
        let first = machine.started(over: .idle)
        _ = machine.started(over: .loading(nil))
        #expect(machine.returned(first, showing: .loading(nil), isPending: false, isCanceled: false, random: 0) == .finish)
    }
}
