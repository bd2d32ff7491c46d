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

/// Costs of several subjects, taken in alternating rounds so that a noisy moment hits all of them, as ratios to the first one.
@MainActor
struct Comparison {
    let title: String
    let subjects: [Subject]

    /// An odd number of rounds has a median; `--rounds 1` is enough to see what is measured.
    private static let roundCount: Int = {
        let words = CommandLine.arguments
        guard let option = words.firstIndex(of: "--rounds"), option + 1 < words.count else { return 31 }
        return max(1, Int(words[option + 1]) ?? 31)
    }()

    /// Measures and prints a table: the median cost, and median and quartiles of the ratios of the rounds.
    func report() async {
        var costs = subjects.map { _ in [Double]() }
        for subject in subjects { _ = await subject.round() }
        for _ in 0..<Self.roundCount {
            for (index, subject) in subjects.enumerated() { costs[index].append(await subject.round()) }
        }
        print("| \(title) | ns | ratio | quartiles |")
        print("|---|---:|---:|---|")
        for (index, subject) in subjects.enumerated() {
            let ratios = zip(costs[index], costs[0]).map { $0 / $1 }.sorted()
            let nanoseconds = Int(costs[index].sorted()[Self.roundCount / 2].rounded())
            let quartiles = "\(text(ratios[Self.roundCount / 4])) to \(text(ratios[Self.roundCount * 3 / 4]))"
            print("| \(subject.name) | \(nanoseconds) | \(text(ratios[Self.roundCount / 2])) | \(quartiles) |")
        }
        print("")
    }

    /// With one decimal, below 1 with two.
    private func text(_ ratio: Double) -> String {
        let hundredths = Int((ratio * 100).rounded())
        guard hundredths >= 100 else { return "0.\(hundredths < 10 ? "0" : "")\(hundredths)" }
        let tenths = Int((ratio * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}

/// Something whose cost is measured.
@MainActor
struct Subject {
    let name: String
    /// How often it is done in a round.
    let count: Int
    let work: @MainActor () async -> Void

    init(_ name: String, count: Int = 1_000, _ work: @escaping @MainActor () async -> Void) {
        (self.name, self.count, self.work) = (name, count, work)
    }

    /// Nanoseconds for doing it once, as an average of a round.
    func round() async -> Double {
        let elapsed = await ContinuousClock().measure {
            for _ in 0..<count { await work() }
        }
        return elapsed / .nanoseconds(count)
    }
}

/// Counts arrivals and lets one task wait for a number of them.
@MainActor
final class Barrier {
    private var arrived = 0
    private var waiter: (count: Int, continuation: CheckedContinuation<Void, Never>)?

    func arrive() {
        arrived += 1
        guard let waiter, arrived >= waiter.count else { return }
        self.waiter = nil
        arrived = 0
        waiter.continuation.resume()
    }

    /// Returns when so many have arrived since the last return.
    func all(_ count: Int) async {
        if arrived >= count {
            arrived = 0
            return
        }
        await withCheckedContinuation { waiter = (count, $0) }
    }
}
