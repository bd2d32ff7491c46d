//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel

/// What the configuration of a world's front says of limits and clients. It follows from the seed alone, so that everything else of a seed stays as it is.
struct FlowVariation {
    let seed: UInt64
    /// After how long jobs may reserve in limits: in two of three worlds within their lives.
    let reservationPause: Duration
    /// Whether that is so.
    var mayHaveReservations: Bool { reservationPause < .seconds(60) }

    /// Whether all jobs crowd into one limit, and some need all of it: those would wait for ever if nothing were kept for them.
    var isCrowded: Bool { Self.isCrowded(seed) }
    private static func isCrowded(_ seed: UInt64) -> Bool { !seed.isMultiple(of: 3) && seed % 8 == 0 }
    /// The capacity of that limit.
    static let crowdedCapacity: UInt32 = 3

    /// Whether one of the limits with a rate lets no job wait, in each fifth world.
    var refusesBeyondRates: Bool { seed % 5 == 1 }
    /// That limit.
    static let refusingLimit = "tenant"

    /// For what of feeds their loads and details count in a limit, in a third of the worlds; nil: they count in none.
    let feedLimitValue: FeedLimitValue?
    /// How many of them run at once for each.
    private let feedLimitCapacity: UInt32
    /// That limit.
    static let feedLimit = "source"

    /// The feeds, and in half of the worlds how the loads of the first follow each other.
    let feeds: [FeedDefinition]

    init(seed: UInt64) {
        self.seed = seed
        var random = SplitMix64(.feedLimits, of: seed)
        let value: FeedLimitValue = random.chance(0.5) ? .host : .parameter("parameter")
        feedLimitCapacity = random.chance(0.6) ? 1 : 2
        feedLimitValue = random.chance(0.4) && !Self.isCrowded(seed) ? value : nil
        feeds = Self.feeds(seed)
        reservationPause =
            seed.isMultiple(of: 3) ? .seconds(60) : seed % 8 == 0 ? .milliseconds(10) : .milliseconds(Int64(100 + seed / 3 % 8 * 150))
    }

    private static func feeds(_ seed: UInt64) -> [FeedDefinition] {
        var random = SplitMix64(.feedLoads, of: seed)
        var feeds = Feeds.definitions
        guard random.chance(0.5) else { return feeds }
        feeds[0].loads.buffersOne = random.chance(0.5)
        let quiet = random.spread(1, 400)
        let longest = quiet * random.spread(1, 8)
        if random.chance(0.7) { feeds[0].loads.debounce = Debounce(quiet: .milliseconds(quiet), longest: .milliseconds(longest)) }
        return feeds
    }

    /// The limit that the configuration names, in two of five worlds and in crowded ones.
    static let limit = "given"

    /// What one life of the front reads: each other one says something else of the limit, and jobs count in it alike.
    func settings(of epoch: Epoch) -> FlowSettings {
        var flow = FlowSettings()
        flow.clientWeights = ["even": 2, "odd": 3]
        flow.groups[Self.group] = members(in: epoch)
        if seed % 3 < 2 { flow.retryRules[SimulatedLoader.slow.declaration.name] = retryRule }
        if isCrowded { flow.limits[Self.limit] = LimitRule(capacity: Self.crowdedCapacity) }
        if let feedLimitValue {
            flow.limits[Self.feedLimit] = LimitRule(capacity: feedLimitCapacity)
            flow.limitsOfLoaders[SimulatedLoader.http.declaration.name] = [Self.feedLimit]
            flow.limitValues[Self.feedLimit] = feedLimitValue
        }
        guard seed % 5 < 2, !isCrowded else { return flow }
        flow.limits[Self.limit] = LimitRule(capacity: UInt32(1 + seed / 5 % 3 + epoch.rawValue % 2))
        flow.limitsOfLoaders[SimulatedLoader.slow.declaration.name] = [Self.limit]
        return flow
    }

    /// The group that clients pause.
    static let group = "shop"

    /// Who is in it: a loader and a feed, of which others ask the same loader. In each fourth world each other life of the front says another feed, in
    /// each fourth one that nothing is in it.
    private func members(in epoch: Epoch) -> GroupMembers? {
        let isOther = epoch.rawValue % 2 == 1
        if seed % 4 == 3, isOther { return nil }
        return GroupMembers(loaders: [SimulatedLoader.slow.declaration.name], feeds: [seed % 4 == 1 && isOther ? "items" : "todos"])
    }

    /// How often jobs of `slow` are tried that do not say so, in two of three worlds: each life of the front says the same.
    private var retryRule: RetryRule {
        let short = BackOff(first: .milliseconds(Int64(20 + seed % 5 * 40)), longest: .milliseconds(Int64(200 + seed % 7 * 100)))
        let usual = BackOff(first: .milliseconds(Int64(50 + seed % 11 * 50)), hasJitter: seed % 2 == 0)
        return RetryRule(
            attempts: UInt32(2 + seed / 3 % 3), backOff: usual,
            codes: [
                .never(after: .httpStatus), CodeRetryRule(.unreachable, attempts: 6, backOff: short),
                CodeRetryRule(.timedOut, backOff: BackOff(hasJitter: seed % 2 == 1)),
            ])
    }

    /// The largest capacity that it names of each limit.
    var greatest: [String: UInt32] { settings(of: Epoch(1)).limits.compactMapValues(\.capacity) }

    /// The limits that a job counts in which was submitted with these options.
    func limitKeys(of options: JobOptions, loader: String) -> [LimitKey] { settings(of: Epoch(1)).limitKeys(of: options, loader: loader) }

    /// The limits that a feed's job counts in, reckoned from what the feeds of all worlds are.
    func limitKeys(of key: FeedKey, _ operation: FeedOperation, loader: String) -> [LimitKey] {
        guard loader == SimulatedLoader.http.declaration.name, let feedLimitValue else { return [] }
        switch feedLimitValue {
        case .host: return [LimitKey(Self.feedLimit, value: Feeds.host(of: operation))]
        case .parameter(let name): return [LimitKey(Self.feedLimit, value: key.value(of: name) ?? "")]
        }
    }

    /// What a job is accepted with which was submitted with these options.
    func options(of given: JobOptions, loader: String) -> JobOptions { settings(of: Epoch(1)).options(of: given, loader: loader) }

    /// The name of a client's hello.
    static func client(_ index: Int) -> String { ["even", "odd", ""][index % 3] }
}
