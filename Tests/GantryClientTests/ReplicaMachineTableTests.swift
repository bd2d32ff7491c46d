//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import TestSupport
import Testing

@testable import GantryClient

@Suite("every phase of a replica with everything that can come to it")
struct ReplicaMachineTableTests {
    /// Where the replica is before: each holds, or asks for, a topic with one item after one change.
    enum Start: CaseIterable {
        case asking, unverified, verified, lost
    }

    /// What comes then.
    enum Event: CaseIterable {
        case change, changeAgain, changeBeyond, changeSpoiled, bookmark, bookmarkBehind, bookmarkBeyond, bookmarkSpoiled
        case snapshot, snapshotEmpty, snapshotTorn, snapshotOfOther, epochBefore, epochAfter, otherFront, opened, silence, frontLost,
            frontBack
    }

    /// What becomes of each start by each event, in the order of `Event`: the phase, what follows, and why nothing does.
    static let table: [Start: [String]] = [
        .asking: [
            "asking", "asking", "asking", "asking", "asking late: nothingHeld", "asking late: nothingHeld", "asking late: nothingHeld",
            "asking late: nothingHeld", "unverified read snapshot", "asking read late: malformed", "asking read late: snapshotBroken",
            "unverified read snapshot", "asking late: nothingHeld", "asking late: nothingHeld", "asking late: nothingHeld", "asking ask",
            "asking ask", "asking lost", "asking",
        ],
        .unverified: [
            "verified change!", "unverified late: behind", "asking gap", "asking checksumDiffers", "verified verified!",
            "unverified late: behind", "asking gap", "asking checksumDiffers", "unverified read late: behind",
            "unverified read late: malformed", "unverified read late: snapshotBroken", "unverified read late: otherFront",
            "unverified late: oldEpoch", "asking epoch ask late: nothingHeld", "asking epoch ask late: nothingHeld", "unverified ask",
            "unverified ask", "unverified lost", "unverified",
        ],
        .verified: [
            "verified change!", "verified late: behind", "asking gap ask", "asking checksumDiffers ask", "verified",
            "verified late: behind", "asking gap ask", "asking checksumDiffers ask", "verified read late: snapshotNotAsked",
            "verified read late: snapshotNotAsked", "verified read late: snapshotNotAsked", "verified read late: otherFront",
            "verified late: oldEpoch", "asking epoch ask late: nothingHeld", "asking epoch ask late: nothingHeld", "verified",
            "asking gap ask", "verified lost", "verified",
        ],
        .lost: [
            "verified change", "verified late: behind", "asking gap ask", "asking checksumDiffers ask", "verified",
            "verified late: behind", "asking gap ask", "asking checksumDiffers ask", "verified read late: snapshotNotAsked",
            "verified read late: snapshotNotAsked", "verified read late: snapshotNotAsked", "verified read late: otherFront",
            "verified late: oldEpoch", "asking epoch ask late: nothingHeld", "asking epoch ask late: nothingHeld", "verified", "verified",
            "verified", "unverified back unsubscribe subscribe",
        ],
    ]

    private func world(_ start: Start) -> TopicWorld {
        var world = start == .verified || start == .lost ? TopicWorld.verified() : TopicWorld()
        if start == .asking || start == .unverified { world.put("a", "1") }
        if start == .unverified { world.receiveSnapshot() }
        if start == .lost { world.replica.frontIs(lost: true, at: world.now, into: &world.actions) }
        world.actions = []
        return world
    }

    private func meet(_ event: Event, _ world: inout TopicWorld) {
        func at(_ sequence: UInt64, _ checksum: TopicChecksum? = nil) -> Publication {
            var position = world.position
            position.sequence = SequenceNumber(sequence)
            return .bookmark(
                .init(front: world.front, epoch: world.epoch, sequence: position.sequence, checksum: checksum ?? position.checksum))
        }
        switch event {
        case .change: world.receive(world.put("b", "2"))
        case .changeAgain: world.receive(.change(.init(bookmark: world.position, puts: [], removes: [])))
        case .changeBeyond:
            world.put("b", "2")
            world.receive(world.put("c", "3"))
        case .changeSpoiled:
            guard case .change(var change) = world.put("b", "2") else { return }
            change.puts = []
            world.receive(.change(change))
        case .bookmark: world.receive(world.bookmark)
        case .bookmarkBehind: world.receive(at(0))
        case .bookmarkBeyond: world.receive(at(9))
        case .bookmarkSpoiled: world.receive(at(1, TopicChecksum()))
        case .snapshot: world.receiveSnapshot()
        case .snapshotEmpty:
            world.receive(.init(topic: .jobs, sequence: world.sequence, checksum: TopicChecksum(), part: 0, partCount: 0, items: []))
        case .snapshotTorn: world.receive(world.snapshot(parts: 2)[1])
        case .snapshotOfOther:
            world.front = FrontID(8)
            world.receiveSnapshot()
        case .epochBefore:
            world.epoch = Epoch(99)
            world.receive(world.bookmark)
        case .epochAfter:
            world.epoch = Epoch(101)
            world.receive(world.bookmark)
        case .otherFront:
            world.front = FrontID(8)
            world.receive(world.bookmark)
        case .opened: world.replica.sessionOpened(at: world.now, into: &world.actions)
        case .silence: world.pass(26_000)
        case .frontLost: world.replica.frontIs(lost: true, at: world.now, into: &world.actions)
        case .frontBack: world.replica.frontIs(lost: false, at: world.now, into: &world.actions)
        }
    }

    @Test("each start with each event", arguments: Start.allCases)
    func rows(start: Start) {
        let row = Event.allCases.map { event in
            var world = world(start)
            meet(event, &world)
            let late = world.replica.ignored.counts.keys.map(\.rawValue).sorted()
            let words = world.takeWords()
            return (["\(world.replica.phase)"] + words + (late.isEmpty ? [] : ["late:"] + late)).joined(separator: " ")
        }
        #expect(row == Self.table[start], "\(start)")
    }

    @Test("of the events that nothing follows each has a reason")
    func reasons() {
        for start in Start.allCases {
            for event in Event.allCases {
                var world = world(start)
                let before = world.replica
                meet(event, &world)
                let isSame =
                    world.actions.isEmpty && world.replica.phase == before.phase && world.replica.waiting.count == before.waiting.count
                let isExpected = [.opened, .silence, .frontLost, .frontBack, .bookmark].contains(event)
                if isSame, !isExpected { #expect(!world.replica.ignored.counts.isEmpty, "\(start), \(event)") }
            }
        }
    }
}
