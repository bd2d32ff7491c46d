//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryClient
import GantryModel
import GantryPackedColumns

/// What the users of a world do.
enum Script {
    /// Topics that a client observes from its beginning.
    static func firstTopics(_ index: Int, _ random: inout SplitMix64) -> [Topic] {
        var topics: [Topic] = [.feed(Feeds.keys[0]), .view(Feeds.keys[0], "shared"), .jobs]
        if index == 0 || random.chance(0.5) { topics += [.workers, .front, .feed(Feeds.keys[2]), .view(Feeds.keys[2], "shared")] }
        return topics
    }

    /// The next thing that a user does; nil: nothing just now.
    static func next(for client: ClientProcess, in world: World) -> ClientCommand? {
        if world.chance.chance(0.15), let command = rare(client, world) { return command }
        if world.optionChance.chance(0.04), let command = reprioritize(client, world) { return command }
        if world.startChance.chance(0.04), let command = move(client, world) { return command }
        if world.drainChance.chance(0.01), let worker = world.drainChance.pick(world.workers) {
            return .request(client, .drainWorker(worker.id))
        }
        if world.startChance.chance(0.02) { return bulk(client, world) }
        if world.repeatChance.chance(0.03), !world.ledger.isMemory { return repetition(client, world) }
        if world.flow.isCrowded, world.limitChance.chance(0.6) { return submit(client, world) }
        if world.limitChance.chance(0.03) { return setLimit(client, world) }
        if world.pauseChance.chance(0.02) { return pause(client, world) }
        switch world.random.below(20) {
        case 0...5: return submit(client, world)
        case 6...7: return cancel(client, world)
        case 8...14: return feedRequest(client, world)
        case 15: return save(client, world)
        case 16...17: return observation(world)
        case 18:
            guard let job = world.random.pick(world.ledger.acceptedJobs) else { return nil }
            return .request(client, .job(.explain(job)))
        default: return .request(client, world.random.chance(0.5) ? .listFeeds() : .job(.list(listing(world))))
        }
    }

    /// A page of jobs, sometimes only of those with some tags.
    private static func listing(_ world: World) -> JobQuery {
        JobQuery(tags: tags.filter { _ in world.optionChance.chance(0.2) }, limit: 20)
    }

    static let tags = ["nightly", "tenant-7", String(repeating: "long", count: 16)]

    /// What came later: the client's own view, pages, and calls that are taken back.
    private static func rare(_ client: ClientProcess, _ world: World) -> ClientCommand? {
        switch world.chance.below(12) {
        case 0...5: return order(client, world)
        case 6: return .page(client.callID(.page), PageRequest(number: 0, content: ObjectDigest(words: (world.chance.next(), 0, 1, 0))))
        case 7:
            guard let callID = world.chance.pick(client.open.keys.sorted()) else { return nil }
            client.abandon(callID)
            return .abandon(callID)
        case 8, 9:
            guard let job = world.chance.pick(Array(world.ledger.acceptedJobs.suffix(20))) else { return nil }
            let isWanted = world.chance.chance(0.5) && !world.ledger.mayWaitForEver(job)
            client.awaitOutcome(job, isWanted)
            return isWanted ? .awaitOutcome(job) : .forgetOutcome(job)
        case 10:
            guard client.index > 0, world.chance.chance(0.3) else { return nil }
            world.count(.sessionClosed)
            client.isClosing = true
            return .close
        default:
            let key = Feeds.keys[world.chance.below(Feeds.keys.count)]
            let version = UInt64(world.chance.below(6))
            if world.chance.chance(0.3) { return .request(client, .feed(key, .reset(version: ContentVersion(version)))) }
            return order(client, .selection("item-1"), of: key, view: "shared", version: version)
        }
    }

    /// The client's own view, which nobody else orders: one question after the other.
    private static func order(_ client: ClientProcess, _ world: World) -> ClientCommand? {
        let (key, view) = (Feeds.keys[1 + client.index % 2], "own-\(client.index)")
        guard !client.awaitsOrder(of: .view(key, view)) else { return nil }
        if world.chance.chance(0.3) { return .request(client, .feed(key, .attach(view: view))) }
        let part: ViewInterest.Part
        if world.chance.chance(0.5) {
            let field = ["title", "createdAt", "id"][world.chance.below(3)]
            part = .sort(world.chance.chance(0.2) ? nil : SortOrder(field: field, ascending: world.chance.chance(0.5)))
        } else {
            part = .filter(String(["", "a", "ab", "abc"][world.chance.below(4)]))
        }
        return order(client, part, of: key, view: view, version: version(of: .view(key, view), world))
    }

    /// The version that a request for a view names: mostly none, often the one that holds, sometimes another one.
    private static func version(of view: Topic, _ world: World) -> UInt64? {
        guard world.late.chance(0.4) else { return nil }
        let current = world.ledger.places.views[view]?.version ?? 0
        return world.late.chance(0.75) ? current : UInt64(world.late.below(6))
    }

    private static func order(
        _ client: ClientProcess, _ part: ViewInterest.Part, of key: FeedKey, view: String, version: UInt64?
    ) -> ClientCommand {
        let callID = client.callID(.order(part, of: .view(key, view), version: version))
        switch part {
        case .sort(let order): return .request(callID, .feed(key, .sort(view: view, order: order, version: version)))
        case .filter(let text): return .request(callID, .feed(key, .filter(view: view, text: text, version: version)))
        case .selection(let itemID): return .request(callID, .feed(key, .select(view: view, itemID: itemID, version: version)))
        }
    }

    private static func submit(_ client: ClientProcess, _ world: World) -> ClientCommand {
        var loader = SimulatedLoader.noop
        switch world.random.below(10) {
        case 0...4: loader = .noop
        case 5...6: loader = .slow
        case 7...8: loader = .once
        default:
            loader = world.poisonCount < world.swarm.poisonLimit ? .doomed : .slow
            if loader == .doomed { world.poisonCount += 1 }
        }
        if loader == .slow, world.chance.chance(0.05) { loader = .absent }
        if world.keyChance.chance(0.3), [.noop, .slow, .once].contains(loader) {
            return submitUnique(client, world.keyChance.chance(0.6) ? .slow : loader, world)
        }
        let count = loader == .noop ? 1 + world.random.below(20) : loader == .doomed ? 1 : 1 + world.random.below(3)
        let markers = (0..<count).map { _ in world.ledger.nextMarker() }
        let isAwaited = world.random.chance(0.9) && loader != .absent
        let options = options(ofJobs: count, UInt8(world.random.below(10)), world)
        var batch = JobBatch(
            loader: loader.declaration.name, options: options, reportsOutcomes: isAwaited,
            PackedBytes(
                markers.map { Run.bytes(of: $0) + [UInt8](repeating: 7, count: world.chance.below(world.variation.argumentByteCount - 7)) })
        )
        batch.takesAnyLoader = world.loaderChance.chance(0.5)
        world.ledger.submits(markers, with: options, to: loader)
        let call = client.callID(.submit(loader, markers: markers, options: options, isAwaited: isAwaited))
        if !batch.takesAnyLoader { client.namesKnownLoader(call, loader) }
        return .submit(call, batch)
    }

    /// The options of jobs that are submitted together: mostly the same, often of each its own.
    private static func options(ofJobs count: Int, _ priority: UInt8, _ world: World) -> JobOptionsColumn {
        // Each different one takes room of the queue, where arguments are to be what fills a small one.
        let step: UInt8 = world.variation.bounds.queuedByteCount < 1 << 20 ? 4 : 1
        let areTagged = step == 1 && world.optionChance.chance(0.3)
        let retry = step == 1 ? retry(world) : RetryRule()
        let limits = step == 1 ? limits(world) : []
        let timeout = step == 1 && world.timeoutChance.chance(0.2) ? Duration.milliseconds(world.timeoutChance.spread(1, 4_000)) : nil
        let ending = step == 1 ? ending(world) : JobEnding()
        func options(_ priority: UInt8) -> JobOptions {
            JobOptions(
                priority: priority / step * step, tags: areTagged ? tags.filter { _ in world.optionChance.chance(0.5) } : [],
                start: world.startChance.chance(0.15) ? start(world) : .now, retry: retry,
                attemptTimeout: timeout,
                limitKeys: limits, expiresAt: ending.expiresAt, totalTimeout: ending.totalTimeout,
                hasSecretArgument: areTagged)
        }
        // What needs all of a crowded limit is first in line, so that all others are behind it.
        if world.flow.isCrowded, limits.contains(where: { $0.weight > 1 }) { return JobOptionsColumn(options(9)) }
        guard world.optionChance.chance(0.4) else { return JobOptionsColumn(options(priority)) }
        return JobOptionsColumn((0..<count).map { _ in options(UInt8(world.optionChance.below(10))) })
    }

    /// When jobs end that have not by then.
    private static func ending(_ world: World) -> JobEnding {
        var ending = JobEnding()
        if world.endChance.chance(0.2) {
            ending.expiresAt = WallTime(milliseconds: world.wall.milliseconds + Int64(world.endChance.spread(100, 8_000)))
        }
        if world.endChance.chance(0.15) { ending.totalTimeout = .milliseconds(world.endChance.spread(100, 8_000)) }
        return ending
    }

    /// The limits that jobs count in: of those that somebody has asked for, one or both.
    private static func limits(_ world: World) -> [LimitKey] {
        if world.flow.isCrowded {
            return [LimitKey(FlowVariation.limit, weight: world.limitChance.chance(0.2) ? FlowVariation.crowdedCapacity : 1)]
        }
        guard world.limitChance.chance(0.6) else { return [] }
        var keys = limitNames.map { LimitKey($0, value: ["", "a", "b"][world.limitChance.below(3)]) }
        // A heavy one is refused where the limit has just been lowered.
        if world.flow.mayHaveReservations { keys[0].weight = UInt32(1 + world.limitChance.below(6) / 3) }
        return keys.filter { world.ledger.greatestCapacities[$0.limit] != nil && world.limitChance.chance(0.6) }
    }

    /// A loader, a group, or all loaders, or a worker are paused for a while; in some worlds clients end pauses, too.
    private static func pause(_ client: ClientProcess, _ world: World) -> ClientCommand {
        let target = pauseTargets[world.pauseChance.below(pauseTargets.count)]
        if world.seed.isMultiple(of: 3), world.pauseChance.chance(0.4) {
            world.ledger.queue.pauses.asksForEnd(of: target)
            return .request(client, .pause(.end(target)))
        }
        // All of a target are as long, so that the last one to arrive is the last one to end.
        let length = Duration.milliseconds(500 + Int64(world.seed % 7) * 700)
        return .request(client, .pause(.begin(target, reason: String(world.now), length: length)))
    }

    private static let pauseTargets: [PauseTarget] = [
        .everything, .loader("noop"), .loader("slow"), .loader("http"), .loader("absent"), .worker("worker-0"), .worker("worker-1"),
        .group(FlowVariation.group), .group(FlowVariation.group),
    ]

    /// A limit gets another capacity, or is to be no more.
    private static func setLimit(_ client: ClientProcess, _ world: World) -> ClientCommand {
        let name = limitNames[world.limitChance.below(limitNames.count)]
        if world.limitChance.chance(0.1) { return .request(client, .limit(.delete(name))) }
        // Where it stays the same, what really runs can be held against it; where it changes, only against the largest.
        let drawn = UInt32(1 + world.limitChance.below(3))
        let rule = rule(name, world.seed.isMultiple(of: 2) ? 1 : drawn, world)
        world.ledger.asks(name, for: rule)
        return .request(client, .limit(.set(name, rule)))
    }

    /// What gives a limit room again for heavy jobs that were accepted before somebody lowered it, now and then: they would wait until somebody does.
    static func raisingLimit(_ round: Int, _ client: ClientProcess, _ world: World) -> ClientCommand? {
        guard world.flow.mayHaveReservations, limitNames.indices.contains(round % 12) else { return nil }
        let name = limitNames[round % 12]
        guard let greatest = world.ledger.greatestCapacities[name], greatest > 1 else { return nil }
        let rule = rule(name, greatest, world)
        world.ledger.asks(name, for: rule)
        return .request(client, .limit(.set(name, rule)))
    }

    private static let limitNames = ["few", "tenant"]

    /// In half of the worlds limits have a rate, in half of those one of them nothing else, and in half of them it changes.
    private static func rule(_ name: String, _ capacity: UInt32, _ world: World) -> LimitRule {
        guard !world.seed.isMultiple(of: 2) else { return LimitRule(capacity: capacity) }
        let number = world.seed % 8 < 4 ? UInt64(world.limitChance.below(36)) : world.seed / 8
        let refuses = name == FlowVariation.refusingLimit && world.flow.refusesBeyondRates
        let refill = LimitRefill(
            UInt32(5 + number % 36), per: .seconds(1), burst: UInt32(1 + number % 4), beyond: refuses ? .refuse : .wait)
        return LimitRule(capacity: world.seed % 4 == 3 && name == "few" ? nil : capacity, refill: refill)
    }

    /// How often jobs are tried: mostly as usual, else a few times within a world.
    private static func retry(_ world: World) -> RetryRule {
        guard world.retryChance.chance(0.5) else { return RetryRule() }
        let first = world.retryChance.spread(1, 1_000)
        let backOff = BackOff(
            first: .milliseconds(first), longest: .milliseconds(first * world.retryChance.spread(1, 8)),
            hasJitter: world.retryChance.chance(0.5))
        // Of some codes by themselves, too, without a further draw: the loader's rule may say *never* of the second.
        let codes = [CodeRetryRule(.unreachable, attempts: UInt32(1 + first % 7)), CodeRetryRule(.httpStatus, attempts: 3)]
        return RetryRule(
            attempts: UInt32(world.retryChance.spread(1, 6)), backOff: backOff, codes: Array(codes.prefix(Int(first / 7 % 3))))
    }

    private static func cancel(_ client: ClientProcess, _ world: World) -> ClientCommand? {
        let jobs = world.ledger.acceptedJobs
        guard !jobs.isEmpty else { return nil }
        let newest = jobs.suffix(8)
        var job = newest[newest.startIndex + world.random.below(newest.count)]
        // What runs is where a cancel is hard.
        let running = world.workers.flatMap(\.runs).filter { $0.work?.operation != .sort }
        let run = world.random.chance(0.7) ? world.random.pick(running) : nil
        if let run { job = run.job }
        // What becomes of the last order of a view is known only while nobody cancels it.
        if world.variation.ordersHold, world.ledger.orderJobs[job.rawValue] != nil { return nil }
        if let work = run?.work, [.load, .merge].contains(work.operation), world.chance.chance(0.5) {
            // By its feed, where another load may have taken its place: whatever is loaded, or only this one.
            return .request(client, .feed(work.key, .cancelLoad(only: world.chance.chance(0.5) ? job : nil)))
        }
        return .request(client.callID(.cancel(job)), .job(.cancel(job)))
    }

    /// Another priority, mostly for a job that may still wait.
    private static func reprioritize(_ client: ClientProcess, _ world: World) -> ClientCommand? {
        guard let job = world.optionChance.pick(Array(world.ledger.acceptedJobs.suffix(12))) else { return nil }
        let priority = UInt8(world.optionChance.below(10))
        world.ledger.reprioritizing(job, to: priority)
        return .request(client, .job(.reprioritize(job, priority: priority)))
    }

    /// Another time, or none, for a job that may be scheduled or still wait.
    private static func move(_ client: ClientProcess, _ world: World) -> ClientCommand? {
        guard let job = world.startChance.pick(Array(world.ledger.acceptedJobs.suffix(12))) else { return nil }
        world.ledger.queue.moves(job)
        if world.startChance.chance(0.2) { return .request(client, .job(.forgive(job))) }
        return .request(client, .job(world.startChance.chance(0.3) ? .promote(job) : .delay(job, start(world))))
    }

    /// Something with many jobs: those of one loader, all of them or with some tags.
    private static func bulk(_ client: ClientProcess, _ world: World) -> ClientCommand {
        let loader = world.startChance.chance(0.5) ? SimulatedLoader.noop : .slow
        let selection = JobQuery(loader: loader.declaration.name, tags: tags.filter { _ in world.startChance.chance(0.1) })
        let actions: [BulkAction] = [
            .cancel, .cancel, .promote, .forgive, .reprioritize(UInt8(world.startChance.below(10))), .delay(start(world)),
        ]
        let action = actions[world.startChance.below(actions.count)]
        if case .reprioritize(let priority) = action { world.ledger.bulkPriorities.insert(priority) }
        return .request(client, .job(.bulk(BulkRequest(action, selection, isDry: world.startChance.chance(0.2)))))
    }

    /// New jobs of all of one loader that have ended without success.
    private static func repetition(_ client: ClientProcess, _ world: World) -> ClientCommand {
        let loader = world.repeatChance.chance(0.5) ? SimulatedLoader.noop : .slow
        let selection = JobQuery(state: world.repeatChance.chance(0.4) ? .cancelled : nil, loader: loader.declaration.name)
        return .request(client, .job(.bulk(BulkRequest(.retry, selection, isDry: world.repeatChance.chance(0.2)))))
    }

    /// A time that comes within a world, or is over: some seconds from now, by a delay or by the wall clock.
    private static func start(_ world: World) -> JobStart {
        let milliseconds = Int64(world.startChance.below(4_000)) - 500
        if world.startChance.chance(0.5) { return .after(.milliseconds(max(0, milliseconds))) }
        return .at(WallTime(milliseconds: world.wall.milliseconds + milliseconds))
    }

    private static func save(_ client: ClientProcess, _ world: World) -> ClientCommand {
        let key = Feeds.keys[2 + world.random.below(2)]
        let marker = world.ledger.nextMarker()
        return .request(client.callID(.save(marker: marker)), .feed(key, .create(item: item(marker, world))))
    }

    /// An item that names its marker, in some worlds a large one.
    private static func item(_ marker: UInt64, _ world: World) -> [UInt8] {
        Run.bytes(of: marker) + [UInt8](repeating: 7, count: world.late.below(world.variation.argumentByteCount - 7))
    }

    private static func feedRequest(_ client: ClientProcess, _ world: World) -> ClientCommand {
        let key = Feeds.keys[world.random.below(Feeds.keys.count)]
        let view = Feeds.views[world.random.below(Feeds.views.count)]
        var item = "item-\(world.random.below(5))"
        if world.late.chance(0.05) { item += String(repeating: "0", count: world.late.below(80)) }
        switch world.random.below(20) {
        case 0...5: return .request(client, .feed(key, .load))
        case 6...7: return .request(client, .feed(key, .refresh))
        case 8: return .request(client, .feed(key, .reset(version: nil)))
        case 9...10:
            let field = ["title", "createdAt", "id"][world.random.below(3)]
            let part = ViewInterest.Part.sort(SortOrder(field: field, ascending: world.random.chance(0.5)))
            return order(client, part, of: key, view: view, version: version(of: .view(key, view), world))
        case 11:
            let part = ViewInterest.Part.filter(world.random.chance(0.5) ? "" : "a")
            return order(client, part, of: key, view: view, version: version(of: .view(key, view), world))
        case 12...14:
            let part = ViewInterest.Part.selection(world.random.chance(0.2) ? nil : item)
            return order(client, part, of: key, view: view, version: version(of: .view(key, view), world))
        case 15...16: return .request(client, .feed(key, .attach(view: view)))
        case 17: return .request(client, .feed(key, .detach(view: view)))
        case 18:
            let marker = world.ledger.nextMarker()
            return .request(
                client.callID(.save(marker: marker)), .feed(Feeds.keys[3], .update(itemID: item, item: self.item(marker, world))))
        default:
            guard let failure = world.ledger.lastFailures[key] else { return .request(client, .feed(key, .load)) }
            return .request(client, .feed(key, .retry(view: view, failure: failure)))
        }
    }

    private static func observation(_ world: World) -> ClientCommand {
        let key = Feeds.keys[world.random.below(Feeds.keys.count)]
        var topics = [.feed(key), .view(key, Feeds.views[world.random.below(Feeds.views.count)])] + FrontTopic.allCases.map(Topic.ofFront)
        if let job = world.random.pick(world.ledger.acceptedJobs) { topics.append(.job(job)) }
        let topic = topics[world.random.below(topics.count)]
        return world.random.chance(0.7) ? .observe(topic) : .unobserve(topic)
    }
}

extension ClientCommand {
    /// A request with a ticket of its own.
    fileprivate static func request(_ client: ClientProcess, _ body: RequestBody) -> ClientCommand {
        .request(client.callID(.other(body)), body)
    }
}
