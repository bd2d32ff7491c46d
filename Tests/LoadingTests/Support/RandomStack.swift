//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import TestSupport

@testable import Loading

/// One to four random decorators over a gated loader, with probes below each limiter, and what is needed to drive them.
@MainActor
final class RandomStack {
    let clock = ManualClock()
    let gate: GatedLoader
    private(set) var top: any Loadable<Int>
    private(set) var name = "x"
    /// Anything that happened.
    let events = Tally()
    let ended = Tally()
    private(set) var loads: [Task<Void, Never>] = []
    private var limits: [(limit: Int, held: () -> Int, executing: () -> Int, mostExecuting: () -> Int)] = []
    private var random: SplitMix64

    init(seed: UInt64) async {
        random = SplitMix64(mixing: seed)
        gate = GatedLoader(reactsToCancellation: Bool.random(using: &random))
        top = gate
        gate.onStart = { [events] in events.add() }
        for _ in 0..<Int.random(in: 1...4, using: &random) { await wrap(top) }
    }

    /// No limiter has ever run or granted more than its limit.
    var isWithinLimits: Bool { limits.allSatisfy { $0.held() <= $0.limit && $0.mostExecuting() <= $0.limit } }

    /// Nothing runs and no permit is held.
    var isAtRest: Bool { ended.count == loads.count && limits.allSatisfy { $0.held() == 0 && $0.executing() == 0 } }

    /// One random thing that a user, an origin or time may do.
    func act() async {
        switch Int.random(in: 0..<12, using: &random) {
        case 0...3: load()
        case 4: top.cancel()
        case 5: top.reset()
        case 6: loads.randomElement(using: &random)?.cancel()
        case 7, 8:
            guard let fetch = gate.waiting.randomElement(using: &random) else { return }
            if Bool.random(using: &random) { gate.succeed(fetch, fetch) } else { gate.fail(fetch) }
        case 9, 10:
            if let next = clock.deadlines.first { clock.advance(to: next) }
        default:
            for _ in 0..<Int.random(in: 1...4, using: &random) { await Task { @MainActor in }.value }
        }
    }

    func load() {
        let loader = top
        loads.append(
            Task { [ended, events] in
                await loader.load()
                ended.add()
                events.add()
            })
    }

    /// Lets every fetch succeed and all time pass until the condition holds; waits for events, and for ever when something is stuck.
    func drain(until isDone: () -> Bool) async {
        while !isDone() {
            let seen = events.count
            let fetches = gate.waiting
            for fetch in fetches { gate.succeed(fetch, fetch) }
            let deadline = clock.deadlines.first
            if let deadline { clock.advance(to: deadline) }
            guard fetches.isEmpty, deadline == nil else { continue }
            Task { [clock, events] in
                await clock.when { !$0.isEmpty }
                events.add()
            }
            await events.reaches(seen + 1)
        }
    }

    private func wrap<Base: Loadable<Int>>(_ base: Base) async {
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            let isImmediate = Bool.random(using: &random)
            top = await DebouncingLoadable(wrapping: base, executeFirstImmediately: isImmediate, clock: clock)
            name = "debounce\(isImmediate ? "!" : "")(\(name))"
        case 1:
            let attempts = Int.random(in: 1...4, using: &random)
            top = RetryableLoader(base: base, maxAttempts: attempts, clock: clock)
            name = "retry\(attempts)(\(name))"
        default:
            let limit = Int.random(in: 1...3, using: &random)
            let probe = ProbeLoadable(base) { [events] in events.add() }
            let limited = ConcurrencyLimitingLoadable(wrapping: probe, concurrencyLimit: limit)
            let permits = limited.permits
            limits.append((limit, { permits.held }, { probe.executing }, { probe.mostExecuting }))
            top = limited
            name = "limit\(limit)(\(name))"
        }
    }
}
