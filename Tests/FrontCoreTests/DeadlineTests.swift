//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Deadlines")
struct DeadlineTests {
    private let lease = DeadlineOwner.lease(worker: 1)

    private static func time(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: milliseconds * 1_000_000) }

    /// Both clocks; the wall clock shows a day more.
    private static func clocks(_ milliseconds: Int64) -> FrontTime {
        FrontTime(monotonic: time(milliseconds), wall: WallTime(milliseconds: 86_400_000 + milliseconds))
    }

    /// The next look, where nothing has passed yet.
    private func next(of deadlines: Deadlines<DeadlineOwner>) -> MonotonicTime? { deadlines.next(at: Self.clocks(0)) }

    private func milliseconds(_ time: MonotonicTime?) -> Int64? { time.map { $0.nanoseconds / 1_000_000 } }

    // MARK: Every state, every event

    private enum State: CaseIterable { case nothing, waiting, due, held }
    private enum Event: CaseIterable { case insertEarlier, insertLater, remove, passBefore, passAt, take, hold }

    /// What is seen after an event: the next look, whether the owner has a deadline, and what was taken.
    private struct Seen: Equatable {
        var next: Int64?
        var isKnown: Bool
        var isTaken = false
    }

    /// What a deadline may be.
    private enum Clock: CaseIterable {
        case length, point

        func insert(_ owner: DeadlineOwner, by milliseconds: Int64, into deadlines: inout Deadlines<DeadlineOwner>) {
            switch self {
            case .length: deadlines.insert(owner, by: DeadlineTests.time(milliseconds))
            case .point: deadlines.insert(owner, at: DeadlineTests.clocks(milliseconds).wall)
            }
        }
    }

    private func deadlines(_ state: State, _ clock: Clock) -> Deadlines<DeadlineOwner> {
        var deadlines = Deadlines<DeadlineOwner>()
        guard state != .nothing else { return deadlines }
        clock.insert(lease, by: 10, into: &deadlines)
        guard state != .waiting else { return deadlines }
        deadlines.pass(to: Self.clocks(10))
        if state == .held { deadlines.hold(.lease, until: Self.time(20)) }
        return deadlines
    }

    private func seen(_ event: Event, in state: State, _ clock: Clock) -> Seen {
        var deadlines = deadlines(state, clock)
        var taken: [DeadlineOwner] = []
        switch event {
        case .insertEarlier: clock.insert(lease, by: 5, into: &deadlines)
        case .insertLater: clock.insert(lease, by: 15, into: &deadlines)
        case .remove: deadlines.remove(lease)
        case .passBefore: deadlines.pass(to: Self.clocks(9))
        case .passAt: deadlines.pass(to: Self.clocks(10))
        case .take: taken = deadlines.take(.lease)
        case .hold: deadlines.hold(.lease, until: Self.time(20))
        }
        return Seen(next: milliseconds(next(of: deadlines)), isKnown: deadlines.count == 1, isTaken: taken == [lease])
    }

    @Test("every state meets every event as the table says")
    func table() {
        let absent = Seen(next: nil, isKnown: false)
        let expected: [State: [Event: Seen]] = [
            .nothing: [
                .insertEarlier: Seen(next: 5, isKnown: true), .insertLater: Seen(next: 15, isKnown: true), .remove: absent,
                .passBefore: absent, .passAt: absent, .take: absent, .hold: absent,
            ],
            .waiting: [
                // The item of one that is gone is skipped when its time has come: until then it may wake the loop for nothing.
                .insertEarlier: Seen(next: 5, isKnown: true), .insertLater: Seen(next: 10, isKnown: true),
                .remove: Seen(next: 10, isKnown: false), .passBefore: Seen(next: 10, isKnown: true),
                .passAt: Seen(next: 0, isKnown: true), .take: Seen(next: 10, isKnown: true), .hold: Seen(next: 10, isKnown: true),
            ],
            .due: [
                .insertEarlier: Seen(next: 0, isKnown: true), .insertLater: Seen(next: 0, isKnown: true), .remove: absent,
                .passBefore: Seen(next: 0, isKnown: true), .passAt: Seen(next: 0, isKnown: true),
                .take: Seen(next: nil, isKnown: false, isTaken: true), .hold: Seen(next: 20, isKnown: true),
            ],
            .held: [
                .insertEarlier: Seen(next: 20, isKnown: true), .insertLater: Seen(next: 20, isKnown: true), .remove: absent,
                .passBefore: Seen(next: 20, isKnown: true), .passAt: Seen(next: 20, isKnown: true),
                .take: Seen(next: nil, isKnown: false, isTaken: true), .hold: Seen(next: 20, isKnown: true),
            ],
        ]
        for state in State.allCases {
            for event in Event.allCases {
                for clock in Clock.allCases {
                    #expect(seen(event, in: state, clock) == expected[state]?[event], "\(event) in \(state), \(clock)")
                }
            }
        }
    }

    @Test(
        "a point of the wall clock comes when that clock shows it, and nobody looks at the clock less than once a minute",
        arguments: [(set: Int64(0), next: Int64(60_000)), (3_590_000, 10_000), (3_600_000, 0), (7_200_000, 0), (-7_200_000, 60_000)])
    func points(set: Int64, next: Int64) {
        var deadlines = Deadlines<DeadlineOwner>()
        deadlines.insert(.endedJobs, at: Self.clocks(3_600_000).wall)
        var now = Self.clocks(0)
        now.wall = now.wall.advanced(by: .milliseconds(set))
        #expect(milliseconds(deadlines.next(at: now)) == next)
        deadlines.pass(to: now)
        #expect(deadlines.take(.endedJobs) == (next == 0 ? [.endedJobs] : []))
    }

    @Test("a point that is further than a number of milliseconds can say is no reason to look at once")
    func farthestPoint() {
        var deadlines = Deadlines<DeadlineOwner>()
        deadlines.insert(.endedJobs, at: WallTime(milliseconds: .max))
        let now = FrontTime(monotonic: Self.time(5), wall: WallTime(milliseconds: -9))
        #expect(milliseconds(deadlines.next(at: now)) == 60_005)
    }

    // MARK: Against a sorted array

    private static let owners: [DeadlineOwner] =
        (0..<6).flatMap { [.lease(worker: $0), .reports(worker: $0), .session(SessionID(UInt64(90 - $0)))] }
        + ["items", "todos"].compactMap { FeedKey(name: $0) }.flatMap { [.load($0), .view($0, "b"), .view($0, "a")] } + [.counts, .grants]

    @Test("what is looked at when, and in which order, is what a sorted array says", arguments: UInt64(1)...40)
    func sorted(seed: UInt64) {
        var random = SplitMix64(mixing: seed)
        var deadlines = Deadlines<DeadlineOwner>()
        var model: [DeadlineOwner: Int64] = [:]
        var now: Int64 = 0
        for step in 0..<600 {
            let owner = Self.owners.randomElement(using: &random) ?? .counts
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<6:
                let time = now + Int64.random(in: 0...40, using: &random)
                deadlines.insert(owner, by: Self.time(time))
                model[owner] = min(model[owner] ?? time, time)
            case 6:
                deadlines.remove(owner)
                model[owner] = nil
            default:
                now += Int64.random(in: 0...15, using: &random)
                deadlines.pass(to: Self.clocks(now))
                for kind in DeadlineOwner.Kind.allCases {
                    let due = model.filter { $0.key.kind == kind && $0.value <= now }
                    let expected = due.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
                    #expect(deadlines.take(kind) == expected, "seed \(seed), step \(step)")
                    for owner in expected { model[owner] = nil }
                }
            }
            #expect(deadlines.count == model.count, "seed \(seed), step \(step)")
            #expect(deadlines.itemCount <= 2 * model.count + 128, "seed \(seed), step \(step)")
            if let first = model.values.min() { #expect(milliseconds(next(of: deadlines)).map { $0 <= first } == true, "seed \(seed)") }
        }
    }

    @Test("deadlines that move each second, to and fro, leave no more items than twice the owners, however long")
    func moving() {
        var deadlines = Deadlines<DeadlineOwner>()
        let owners = (0..<256).map { DeadlineOwner.lease(worker: $0) } + (1...5_000).map { .session(SessionID($0)) }
        for second in Int64(0)..<20 {
            for owner in owners { deadlines.insert(owner, by: Self.time(1_000_000 + 1_000 * second)) }
        }
        #expect(deadlines.itemCount == owners.count)
        for second in Int64(0)..<20 {
            for owner in owners { deadlines.insert(owner, by: Self.time(900_000 - 1_000 * second)) }
        }
        #expect(deadlines.count == owners.count && deadlines.itemCount <= 2 * owners.count + 128)
    }

    @Test("deadlines of owners that are gone leave no more items than are worth clearing away")
    func dropped() {
        var deadlines = Deadlines<DeadlineOwner>()
        let sessions = (UInt64(1)...5_000).map { DeadlineOwner.session(SessionID($0)) }
        for owner in sessions { deadlines.insert(owner, by: Self.time(600_000)) }
        for owner in sessions { deadlines.remove(owner) }
        #expect(deadlines.count == 0 && deadlines.itemCount <= 128)
    }

    @Test("of a kind a turn takes 256, the earliest; the others are due at once, in their order")
    func limit() {
        var deadlines = Deadlines<DeadlineOwner>()
        for number in UInt64(1)...600 { deadlines.insert(.session(SessionID(number)), by: Self.time(Int64(1_000 - number))) }
        deadlines.pass(to: Self.clocks(1_000))
        var taken: [[DeadlineOwner]] = []
        while deadlines.count > 0 {
            #expect(milliseconds(next(of: deadlines)) == 0)
            taken.append(deadlines.take(.session))
        }
        #expect(taken.map(\.count) == [256, 256, 88])
        #expect(taken.flatMap(\.self) == (UInt64(1)...600).reversed().map { .session(SessionID($0)) })
        #expect(next(of: deadlines) == nil)
    }

    @Test("deadlines at one instant go by kind, then by number or name")
    func ties() throws {
        let (a, b) = (try #require(FeedKey(name: "a")), try #require(FeedKey(name: "b")))
        let sorted: [DeadlineOwner] = [
            .reports(worker: 3), .lease(worker: 1), .lease(worker: 2), .session(SessionID(1)), .session(SessionID(2)), .load(a), .load(b),
            .view(a, "x"), .view(a, "y"), .view(b, "a"), .counts, .grants, .endedJobs, .work, .damaged(a), .damaged(b), .waits,
        ]
        #expect(sorted.reversed().sorted() == sorted)
    }

    @Test("a kind is held until it is looked at: what comes behind that look is due at its own time")
    func heldOnce() {
        var deadlines = deadlines(.held, .length)
        #expect(deadlines.take(.lease) == [lease])
        deadlines.insert(lease, by: Self.time(15))
        deadlines.pass(to: Self.clocks(15))
        #expect(milliseconds(next(of: deadlines)) == 0)
    }
}
