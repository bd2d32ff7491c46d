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
        await calls()
    }

    /// One `load()` through each decorator, against a plain await of the same closure.
    private static func loads() async {
        let block: @MainActor () async throws -> Int = {
            await Task.yield()
            return 1
        }
        // Each has a loader of its own: a loader pays for everybody who observes it.
        let loader = BlockLoadable(block: block)
        let retry = RetryableLoader(base: BlockLoadable(block: block), maxAttempts: 3)
        let limit = ConcurrencyLimitingLoadable(wrapping: BlockLoadable(block: block), concurrencyLimit: 3)
        let immediate = await DebouncingLoadable(
            wrapping: BlockLoadable(block: block), debounceInterval: 0, executeFirstImmediately: true)
        let deferred = await DebouncingLoadable(wrapping: BlockLoadable(block: block), debounceInterval: 60)
        let innermost = ConcurrencyLimitingLoadable(wrapping: BlockLoadable(block: block), concurrencyLimit: 3)
        let all = await DebouncingLoadable(
            wrapping: RetryableLoader(base: innermost, maxAttempts: 3), debounceInterval: 0, executeFirstImmediately: true)
        let comparison = Comparison(
            title: "one load",
            subjects: [
                Subject("plain await of the closure") { _ = try? await block() },
                Subject("`BlockLoadable`") { await loader.load() },
                Subject("retry(block)") { await retry.load() },
                Subject("limit(block)") { await limit.load() },
                Subject("debounce(block), runs now") { await immediate.load() },
                Subject("debounce(block), joins") { await deferred.load() },
                Subject("debounce(retry(limit(block)))") { await all.load() },
            ])
        await comparison.report()
        deferred.reset()
    }

    /// One change of a state until every observer has it.
    private static func changes() async {
        var subjects: [Subject] = []
        var ends: [() -> Void] = []
        for count in [1, 10, 1_000] {
            let relay = StateRelay(0)
            let seen = Barrier()
            for _ in 0..<count {
                Task { @MainActor in
                    for await _ in relay.stream { seen.arrive() }
                }
            }
            await seen.all(count)
            ends.append { relay.finish() }
            subjects.append(
                Subject("\(count) \(count == 1 ? "observer" : "observers")", count: 10_000 / count + 5) {
                    relay.update(relay.currentValue + 1)
                    await seen.all(count)
                })
        }
        await Comparison(title: "one change until all have it", subjects: subjects).report()
        for end in ends { end() }
    }

    /// The call that changes a state: what the one who changes it pays, whatever the observers do.
    private static func calls() async {
        var subjects: [Subject] = []
        var relays: [StateRelay<Int>] = []
        var observers: [StateSequence<Int>.Iterator] = []
        for count in [0, 1, 10, 1_000] {
            let relay = StateRelay(0)
            observers += (0..<count).map { _ in relay.stream.makeAsyncIterator() }
            relays.append(relay)
            subjects.append(
                Subject("\(count) \(count == 1 ? "observer" : "observers")", count: 100_000 / (count + 1) + 5) { relay.update(1) })
        }
        await Comparison(title: "one change, the call alone", subjects: subjects).report()
        for relay in relays { relay.finish() }
        observers = []
    }
}
