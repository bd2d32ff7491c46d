//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("every state of a limit with everything that can happen to it")
struct LimitTableTests {
    /// What the limit says before and what counts in it: three jobs, some of which run, but in `absent` none.
    ///
    /// `named`: it says nothing, and jobs name it; `over`: its capacity was lowered below what runs; `tooSmall`: below what one job takes; `drained`: it
    /// has a rate that refuses, and no token is left; `dripping`: a token is left; `both`: it has room, and a rate without token.
    enum Start: CaseIterable {
        case absent, named, roomy, full, over, tooSmall, drained, dripping, both
    }

    /// What happens then: the limit says something, jobs come and go, time passes, or the front starts again from a checkpoint.
    enum Event: CaseIterable {
        case setToCapacity, setToRate, raised, lowered, deleted
        case jobEnters, jobTakes, jobFrees, jobEnds, jobLeaves, allEnd, tokenComesBack, tokenTime, longTime, restart
    }

    /// Behind each event, for each start in the order of `Start`: permits and tokens that are free, why the next job does not start, and how many
    /// milliseconds a further one waits for a token. `-`: no job counts in it.
    static let table: [Event: String] = [
        .setToCapacity:
            "- - - 0 | 1 any - 0 | 1 any - 0 | 0 any permits 0 | 0 any permits 0 | 0 any permits 0 | 0 any permits 0 | 1 any - 0 | 1 any - 0",
        // A limit that had no rate has all its tokens; one that had keeps what it has.
        .setToRate:
            "- - - 0 | any 2 - 100 | any 2 - 100 | any 2 - 0 | any 2 - 0 | any 2 - 100 | any 0 tokens 200 | any 1 - 200 | any 0 tokens 300",
        .raised: "- - - 0 | 8 any - 0 | 8 any - 0 | 7 any - 0 | 7 any - 0 | 7 any - 0 | 7 any - 0 | 8 any - 0 | 8 any - 0",
        .lowered:
            "- - - 0 | 0 any permits 0 | 0 any permits 0 | -1 any permits 0 | -1 any permits 0 | -1 any small 0 | -1 any permits 0 "
            + "| 0 any permits 0 | 0 any permits 0",
        .deleted:
            "- - - 0 | any any - 0 | any any - 0 | any any - 0 | any any - 0 | any any - 0 | any any - 0 | any any - 0 | any any - 0",
        .jobEnters:
            "any any - 0 | any any - 0 | 1 any - 0 | 0 any permits 0 | -1 any permits 0 | -1 any small 0 | any 0 tokens 300 "
            + "| any 1 - 300 | 1 0 tokens 400",
        // What was decided is never undone: a job that has been given to a worker counts whatever the limit says.
        .jobTakes:
            "- - - 0 | any any - 0 | 0 any permits 0 | -1 any permits 0 | -2 any permits 0 | -3 any small 0 | any 0 tokens 100 "
            + "| any 0 tokens 200 | 0 0 permits 200",
        .jobFrees:
            "- - - 0 | any any - 0 | 2 any - 0 | 1 any - 0 | 0 any permits 0 | 1 any small 0 | any 0 tokens 300 | any 1 - 300 "
            + "| 2 0 tokens 400",
        .jobEnds:
            "- - - 0 | any any - 0 | 2 any - 0 | 1 any - 0 | 0 any permits 0 | 1 any small 0 | any 0 tokens 200 | any 1 - 200 "
            + "| 2 0 tokens 300",
        .jobLeaves:
            "- - - 0 | any any - 0 | 1 any - 0 | 0 any permits 0 | -1 any permits 0 | -1 any small 0 | any 0 tokens 100 | any 1 - 100 "
            + "| 1 0 tokens 200",
        // Tokens that are missing outlast the jobs.
        .allEnd: "- - - 0 | - - - 0 | - - - 0 | - - - 0 | - - - 0 | - - - 0 | - - - 100 | - - - 0 | - - - 100",
        .tokenComesBack:
            "- - - 0 | any any - 0 | 1 any - 0 | 0 any permits 0 | -1 any permits 0 | -1 any small 0 | any 1 - 100 | any 2 - 100 "
            + "| 1 1 - 200",
        .tokenTime:
            "- - - 0 | any any - 0 | 1 any - 0 | 0 any permits 0 | -1 any permits 0 | -1 any small 0 | any 1 - 100 | any 2 - 100 "
            + "| 1 1 - 200",
        .longTime:
            "- - - 0 | any any - 0 | 1 any - 0 | 0 any permits 0 | -1 any permits 0 | -1 any small 0 | any 2 - 0 | any 2 - 100 | 1 2 - 100",
        .restart: stands,
    ]

    /// The same where nothing happens.
    static let stands =
        "- - - 0 | any any - 0 | 1 any - 0 | 0 any permits 0 | -1 any permits 0 | -1 any small 0 | any 0 tokens 200 | any 1 - 200 "
        + "| 1 0 tokens 300"

    private static func cells(_ row: String) -> [String] {
        row.split(separator: "|").map { $0.split(separator: " ").joined(separator: " ") }
    }

    /// A limit with what counts in it.
    private struct World {
        var limits = LimitTable()
        var (jobs, running, lease) = (0, 0, UInt64(1))
        var now: LengthTime = 1_000
        let key: LimitKey

        init(weight: UInt32) {
            key = LimitKey("api", weight: weight)
            limits.noteTime(now)
        }

        mutating func set(_ rule: LimitRule?) { limits.apply(limits.change(of: "api", to: rule, at: now, lease: lease)) }

        mutating func enter(_ count: Int) {
            jobs += count
            limits.enter(1, jobs: count, [key])
        }

        /// As `JobLifecycle.levels` and the entry of a grant do.
        mutating func take() {
            for use in limits.uses(of: 1) { limits.noteTaking(lease, of: use, at: now) }
            let counts = Dictionary(uniqueKeysWithValues: limits.uses(of: 1).map { ($0, 1) })
            limits.apply(JournalEntry.TokensChanged(limits.levels(taking: counts, at: now)))
            limits.take(1)
            (running, lease) = (running + 1, lease + 1)
        }

        /// What was taken last comes back.
        mutating func giveBack() {
            let leases = Dictionary(uniqueKeysWithValues: limits.uses(of: 1).map { ($0, [lease - 1]) })
            limits.apply(JournalEntry.TokensChanged(limits.levels(givingBack: leases, at: now)))
        }

        mutating func free() {
            running -= 1
            limits.free(1)
        }

        mutating func leave() {
            jobs -= 1
            limits.leave(1)
        }

        mutating func pass(_ milliseconds: Int64) {
            now = now.advanced(byMilliseconds: milliseconds)
            limits.apply(JournalEntry.TokensChanged(limits.pass(to: now)))
        }

        /// What a checkpoint stores of limits and tokens, and the jobs that come behind it.
        mutating func restart() {
            var next = LimitTable()
            for case .limitChanged(let changed) in limits.entries { next.apply(changed) }
            next.apply(JournalEntry.TokensChanged(limits.levels(from: 0, looks: 100).levels), stored: 1)
            next.enter(1, jobs: jobs, [key])
            for _ in 0..<running { next.take(1) }
            next.begin(from: lease)
            next.noteTime(now)
            limits = next
        }

        private func text(_ count: Int) -> String { count == .max ? "any" : "\(count)" }

        var text: String {
            let wait = limits.wait(for: 1, of: key.unweighted, at: now)
            guard let use = limits.uses(of: 1).first else { return "- - - \(wait)" }
            let reason =
                switch limits.fullReason(of: 1, for: RankKey(rank: 0, id: 1), wall: { WallTime(milliseconds: $0.milliseconds) }) {
                case nil: "-"
                case .limitTooSmall?: "small"
                case .limitFull(_, .permits)?: "permits"
                case .limitFull(_, .tokens)?: "tokens"
                case let other?: "\(other)"
                }
            return "\(text(limits.permits(use))) \(text(limits.tokens(use))) \(reason) \(wait)"
        }
    }

    private static let refill = LimitRefill(10, per: .seconds(1), burst: 2, beyond: .refuse)

    private func world(_ start: Start) -> World {
        var world = World(weight: start == .tooSmall ? 2 : 1)
        guard start != .absent else { return world }
        switch start {
        case .absent, .named: break
        case .roomy, .full, .over, .tooSmall: world.set(LimitRule(capacity: 2))
        case .drained, .dripping: world.set(LimitRule(refill: Self.refill))
        case .both: world.set(LimitRule(capacity: 2, refill: Self.refill))
        }
        world.enter(3)
        let taken = [.full, .over, .drained, .both].contains(start) ? 2 : 1
        for _ in 0..<taken { world.take() }
        if start == .both { world.free() }
        if start == .over || start == .tooSmall { world.set(LimitRule(capacity: 1)) }
        return world
    }

    private func meet(_ event: Event, in world: inout World) {
        switch event {
        case .setToCapacity: world.set(LimitRule(capacity: 2))
        case .setToRate: world.set(LimitRule(refill: Self.refill))
        case .raised: world.set(LimitRule(capacity: 9))
        case .lowered: world.set(LimitRule(capacity: 1))
        case .deleted: world.set(nil)
        case .jobEnters: world.enter(1)
        case .jobTakes: world.take()
        case .jobFrees: world.free()
        case .jobEnds:
            world.free()
            world.leave()
        case .jobLeaves: world.leave()
        case .allEnd:
            while world.running > 0 { world.free() }
            while world.jobs > 0 { world.leave() }
        case .tokenComesBack: world.giveBack()
        case .tokenTime: world.pass(100)
        case .longTime: world.pass(10_000)
        case .restart: world.restart()
        }
    }

    @Test("limits and values that come and go take the places of those that went")
    func places() {
        var limits = LimitTable()
        // With the last of all that the table had is given back.
        limits.apply(limits.change(of: "kept", to: LimitRule(capacity: 1), at: 0, lease: 1))
        limits.enter(2, [LimitKey("kept")])
        for number in 0..<100 {
            let (name, refill) = ("limit \(number)", number % 2 == 0 ? nil : LimitRefill(1, per: .seconds(1)))
            limits.apply(limits.change(of: name, to: LimitRule(capacity: 1, refill: refill), at: 0, lease: 1))
            limits.enter(1, [LimitKey(name, value: "a"), LimitKey(name, value: "b")])
            limits.leave(1)
            limits.apply(limits.change(of: name, to: nil, at: 0, lease: 1))
        }
        #expect(limits.limits.count == 2 && limits.uses.count == 3 && limits.names == ["kept"] && limits.isUsed)
        limits.leave(2)
        #expect(!limits.isUsed && limits.uses.isEmpty)
    }

    @Test("each start with each event", arguments: Start.allCases)
    func rows(start: Start) throws {
        let place = try #require(Start.allCases.firstIndex(of: start))
        for event in Event.allCases {
            let row = Self.cells(try #require(Self.table[event]))
            #expect(row.count == Start.allCases.count, "\(event)")
            var world = world(start)
            #expect(world.text == Self.cells(Self.stands)[place])
            meet(event, in: &world)
            #expect(world.text == row[place], "\(start) and \(event)")
            // What counts nowhere and says nothing takes no memory, once its tokens are back.
            while world.running > 0 { world.free() }
            while world.jobs > 0 { world.leave() }
            world.set(nil)
            #expect(!world.limits.isUsed && world.limits.names.isEmpty && world.limits.ratedUses == 0, "\(start) and \(event)")
        }
    }
}
