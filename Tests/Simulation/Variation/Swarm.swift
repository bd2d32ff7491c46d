//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// Who lives in a world and what may happen to them: drawn from the seed, so that each world leaves most faults out and repeats a few.
struct Swarm {
    let workers: Int
    let clients: Int
    let slots: Int
    let prefetch: Int
    /// How long faults and requests go on, in milliseconds.
    let activeMilliseconds: Int64
    /// Greatest usual latency of a frame, in microseconds.
    let latency: Int64
    let slowFrameShare: Double
    let repeatShare: Double
    let dropShare: Double
    let highWaterMark: Int
    /// Calls between two faults of a front, a worker, a client; 0: none.
    let frontCalls: Int64
    let workerCalls: Int64
    let clientCalls: Int64
    /// Share of those faults that are crashes.
    let crashShare: Double
    /// Share of pauses between calls that are longer than a lease.
    let longPauseShare: Double
    /// Mean milliseconds between faults of a kind; 0: none.
    let every: [(kind: FaultKind, milliseconds: Int64)]
    let slowCommitShare: Double
    let checkpointByteCount: Int
    let poisonLimit: Int
    let failShare: Double
    let ignoreShare: Double
    /// Mean milliseconds between two actions of a client.
    let actionMilliseconds: Int64
    /// Longest run of a slow job, in milliseconds.
    let longestRun: Int64

    init(_ random: inout SplitMix64) {
        workers = 1 + random.below(3)
        clients = 2 + random.below(2)
        slots = 1 + random.below(3)
        prefetch = random.chance(0.2) ? 0 : 4 << random.below(4)
        activeMilliseconds = random.between(4_000, 14_000)
        latency = random.spread(50, 20_000)
        // Some worlds have a network that is late all the time: there, what is repeated meets what has changed meanwhile.
        let isSluggish = random.chance(0.2)
        slowFrameShare = isSluggish ? 0.03 : random.chance(0.5) ? 0 : 0.01
        repeatShare = isSluggish ? 0.3 : random.chance(0.3) ? 0 : random.chance(0.5) ? 0.02 : 0.15
        dropShare = random.chance(0.5) ? 0 : 0.1
        highWaterMark = random.chance(0.2) ? 3 : 1_000
        frontCalls = random.chance(0.3) ? 0 : random.spread(300, 8_000)
        workerCalls = random.chance(0.3) ? 0 : random.spread(100, 3_000)
        clientCalls = random.chance(0.5) ? 0 : random.spread(200, 5_000)
        crashShare = random.chance(0.3) ? 0 : random.chance(0.5) ? 0.3 : 0.8
        longPauseShare = random.chance(0.5) ? 0.02 : 0.3
        let kinds: [(FaultKind, Int64, Int64)] = [
            (.frontKilled, 3_000, 15_000), (.workerKilled, 3_000, 20_000), (.clientKilled, 4_000, 20_000),
            (.processStopped, 2_000, 10_000), (.drain, 1_500, 10_000), (.connectionBroken, 1_000, 8_000),
            (.oneWayBlocked, 1_000, 8_000), (.wallJump, 2_000, 10_000), (.diskFull, 6_000, 20_000), (.diskFailed, 8_000, 30_000),
        ]
        every = kinds.compactMap { kind, low, high in random.chance(0.55) ? nil : (kind, random.between(low, high)) }
        slowCommitShare = random.chance(0.4) ? 0 : 0.03
        checkpointByteCount = random.chance(0.3) ? 64 << 20 : Int(random.spread(2_000, 40_000))
        poisonLimit = random.chance(0.6) ? 0 : 1
        failShare = random.chance(0.3) ? 0 : 0.2
        ignoreShare = random.chance(0.3) ? 0 : 0.4
        actionMilliseconds = random.spread(80, 600)
        longestRun = isSluggish ? 8_000 : random.spread(500, 8_000)
    }
}

/// How long jobs of a world's workers may go on once those drain. It follows from the seed alone, so that everything else of a seed stays as it is.
struct GraceVariation {
    /// In a quarter of the worlds each: none; less than most runs take; about as long as they take; that of workers that say nothing, which is longer
    /// than any run takes.
    let grace: Duration
    /// In two of three worlds jobs that must not run twice have less time on request than the longest run takes.
    let unrepeatableTime: Duration

    init(seed: UInt64) {
        let step = Int64(seed / 4 % 8)
        grace =
            switch seed % 4 {
            case 0: .zero
            case 1: .milliseconds(20 + step * 40)
            case 2: .milliseconds(500 + step * 700)
            default: .seconds(30)
            }
        unrepeatableTime = seed.isMultiple(of: 3) ? .seconds(60) : .milliseconds(Int64(100 + seed / 12 % 10 * 600))
    }
}

/// The loaders of every worker of a world, in the order of their declarations.
enum SimulatedLoader: Int, CaseIterable {
    /// Takes no time worth naming.
    case noop
    /// Takes a while in a slot, and may run again.
    case slow
    /// Takes a while in a slot, and must never run again.
    case once
    /// Ends its worker.
    case doomed
    /// Loads feeds and details.
    case http
    /// Makes persistent lists and orders.
    case list
    /// No worker has it.
    case absent

    /// What workers offer.
    static let offered = allCases.filter { $0 != .absent }

    /// What a worker says of it.
    func declaration(_ bug: InjectedBug?) -> LoaderDeclaration {
        var reported = declaration
        if bug == .onceReportedRepeatable { reported.repeatable = .yes }
        return reported
    }

    var declaration: LoaderDeclaration {
        switch self {
        case .noop: LoaderDeclaration(name: "noop", isBulk: true)
        case .slow: LoaderDeclaration(name: "slow")
        case .once: LoaderDeclaration(name: "once", repeatable: .no)
        case .doomed: LoaderDeclaration(name: "doomed")
        case .http: LoaderDeclaration(name: "http")
        case .absent: LoaderDeclaration(name: "absent")
        case .list: LoaderDeclaration(name: "list", repeatable: .yes)
        }
    }
}

/// The feeds of every world.
enum Feeds {
    static let definitions: [FeedDefinition] = {
        var items = FeedDefinition(name: "items", sourceLoader: "http")
        items.parameters = [FeedDefinition.Parameter(name: "parameter", defaultValue: "sample")]
        items.loadsOnAttach = true
        items.hasOwnDetails = true
        (items.sourceHost, items.detailHost) = (host(of: .load), host(of: .detail))
        var todos = FeedDefinition(name: "todos", sourceLoader: "http")
        todos.isEditable = true
        todos.sourceHost = host(of: .load)
        var notes = FeedDefinition(name: "notes", sourceLoader: nil)
        notes.isEditable = true
        return [items, todos, notes]
    }()

    static let keys: [FeedKey] = ["items?parameter=sample", "items?parameter=other", "todos", "notes"].compactMap { FeedKey(text: $0) }
    static let views = ["shared", "mine"]

    /// The host that all feeds ask for some work.
    static func host(of operation: FeedOperation) -> String { operation == .detail ? "detail.example" : "shop.example" }
}
