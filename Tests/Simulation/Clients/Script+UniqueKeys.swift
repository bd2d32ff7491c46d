//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryClient
import GantryModel
import GantryPackedColumns

// Jobs with unique keys, for which clients ask again and again.
extension Script {
    /// One job of a few under one of two keys of its loader: mostly the same work as others ask for.
    static func submitUnique(_ client: ClientProcess, _ loader: SimulatedLoader, _ world: World) -> ClientCommand {
        let mode = UniqueMode.allCases[world.keyChance.below(UniqueMode.allCases.count)]
        let work = SharedWork(
            loader, key: world.keyChance.chance(0.8) ? 0 : 1, mode: mode, variant: world.keyChance.chance(0.7) ? 0 : 1)
        var options = options(of: work, world)
        options.priority = world.keyChance.chance(0.8) ? 5 : 7
        options.start = world.keyChance.chance(0.1) ? .after(.seconds(1)) : .now
        options.uniqueKey = UniqueKey(work.text, mode: mode)
        if mode == .debounce || mode == .buffer { options.start = .now }
        if mode == .debounce { options.uniqueKey?.debounce = SharedWork.debounce }
        // Work that stays taken asks for that each time, or none of it would be the same.
        if !mode.isFreeAtStart, mode != .buffer, work.marker.isMultiple(of: 2) { options.uniqueKey?.afterEnd = .seconds(world.seed % 3) }
        if world.keyChance.chance(0.2) { options.retryOf = world.keyChance.pick(Array(world.ledger.acceptedJobs.suffix(20))) }
        let isAwaited = world.keyChance.chance(0.9)
        let column = JobOptionsColumn(options)
        var batch = JobBatch(
            loader: loader.declaration.name, options: column, reportsOutcomes: isAwaited, PackedBytes([Run.bytes(of: work.marker)]))
        // Others that ask for the same work are to join it.
        batch.takesAnyLoader = true
        batch.repeatsAgain = options.retryOf != nil && world.againChance.chance(0.3)
        world.ledger.submits([work.marker], with: column, to: loader)
        return .submit(client.callID(.submit(loader, markers: [work.marker], options: column, isAwaited: isAwaited)), batch)
    }

    /// What else is asked for some work under a key. It follows from the work: each time the same, or none of it would be the same.
    private static func options(of work: SharedWork, _ world: World) -> JobOptions {
        // Each different one takes room of the queue, where arguments are to be what fills a small one.
        guard world.variation.bounds.queuedByteCount >= 1 << 20 else { return JobOptions() }
        var random = SplitMix64(seed: world.seed ^ work.marker)
        var options = JobOptions(tags: random.chance(0.3) ? Array(tags.prefix(1)) : [])
        // A limit that is there from the beginning to the end: another one might be named in vain, now or later.
        if world.flow.greatest[FlowVariation.limit] != nil, random.chance(0.7) {
            options.limitKeys = [LimitKey(FlowVariation.limit, value: world.flow.isCrowded || random.chance(0.5) ? "" : "key")]
        }
        if random.chance(0.5) {
            options.retry = RetryRule(
                attempts: UInt32(random.spread(1, 4)),
                backOff: BackOff(first: .milliseconds(random.spread(1, 500)), longest: .seconds(1), hasJitter: random.chance(0.5)))
        }
        if random.chance(0.3) { options.attemptTimeout = .milliseconds(random.spread(1, 4_000)) }
        if random.chance(0.2) { options.totalTimeout = .milliseconds(random.spread(100, 8_000)) }
        if random.chance(0.2) {
            options.expiresAt = WallTime(milliseconds: world.wall.milliseconds + Int64(random.spread(100, 8_000)))
        }
        return options
    }
}
