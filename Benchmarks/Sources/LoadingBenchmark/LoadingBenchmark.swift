//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Loading

/// Prints what decorators and observers cost, as ratios to work that is done without them, so that machines can be compared.
///
/// `swift run -c release --package-path Benchmarks LoadingBenchmark`
@main
@MainActor
struct LoadingBenchmark {
    static func main() async {
        await loads()
        await changes()
    }

    /// One `load()` through each decorator, against a plain await of the same closure.
    private static func loads() async {
        let block: @MainActor () async throws -> Int = {
            await Task.yield()
            return 1
        }
        let plain = await time { _ = try? await block() }
        let loader = BlockLoadable(block: block)
        let retry = RetryableLoader(base: loader, maxAttempts: 3)
        let limit = ConcurrencyLimitingLoadable(wrapping: loader, concurrencyLimit: 3)
        let immediate = await DebouncingLoadable(wrapping: loader, debounceInterval: 0, executeFirstImmediately: true)
        let deferred = await DebouncingLoadable(wrapping: loader, debounceInterval: 60)
        let all = await DebouncingLoadable(
            wrapping: RetryableLoader(base: ConcurrencyLimitingLoadable(wrapping: loader, concurrencyLimit: 3), maxAttempts: 3),
            debounceInterval: 0, executeFirstImmediately: true)
        print("one load, as a ratio to a plain await of the same closure (\(nanoseconds(plain)))")
        report("block", await time { await loader.load() }, to: plain)
        report("retry(block)", await time { await retry.load() }, to: plain)
        report("limit(block)", await time { await limit.load() }, to: plain)
        report("debounce(block), run now", await time { await immediate.load() }, to: plain)
        report("debounce(block), joined", await time { await deferred.load() }, to: plain)
        report("debounce(retry(limit(block)))", await time { await all.load() }, to: plain)
        deferred.reset()
    }

    /// One change of a state, handed to a number of observers that all wait for it; the last one has it when the time is taken.
    private static func changes() async {
        print("one change until every observer has it, as a ratio to one observer")
        var one: Duration = .zero
        for count in [1, 10, 1000] {
            let relay = StateRelay(0)
            let seen = Barrier()
            let observers = (0..<count).map { _ in
                Task { @MainActor in
                    for await _ in relay.stream { seen.arrive() }
                }
            }
            await seen.all(count)
            var value = 0
            let cost = await time(repeating: 20_000 / count + 10) {
                value += 1
                relay.update(value)
                await seen.all(count)
            }
            if count == 1 { one = cost }
            report("\(count) observer\(count == 1 ? "" : "s") (\(nanoseconds(cost)))", cost, to: one)
            relay.finish()
            for observer in observers { await observer.value }
        }
    }

    /// The best of five rounds, for one repetition.
    private static func time(repeating count: Int = 5000, _ work: () async -> Void) async -> Duration {
        var best = Duration.seconds(1000)
        for _ in 0..<5 {
            let elapsed = await ContinuousClock().measure {
                for _ in 0..<count { await work() }
            }
            best = min(best, elapsed / count)
        }
        return best
    }

    private static func report(_ name: String, _ cost: Duration, to base: Duration) {
        let tenths = Int((cost / base * 10).rounded())
        let ratio = "\(tenths / 10).\(tenths % 10) x"
        print("  " + name + String(repeating: " ", count: max(1, 40 - name.count)) + ratio)
    }

    private static func nanoseconds(_ cost: Duration) -> String {
        "\(cost.components.attoseconds / 1_000_000_000) ns"
    }
}
