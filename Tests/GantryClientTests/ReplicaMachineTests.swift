//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import GantryClient

@Suite("The one generic replica")
struct ReplicaMachineTests {
    @Test("it subscribes first, then asks")
    func start() {
        var world = TopicWorld()
        #expect(world.takeWords() == ["subscribe", "ask"])
    }

    @Test("a snapshot alone proves nothing; a bookmark at its position does")
    func proof() {
        var world = TopicWorld()
        world.put("a", "1")
        _ = world.takeWords()
        world.receiveSnapshot()
        #expect(world.takeWords() == ["read", "snapshot"])
        #expect(!world.replica.isVerified)
        world.receive(world.bookmark)
        #expect(world.takeWords() == ["verified!"])
    }

    @Test("over a new session what is not verified is asked for anew, at once")
    func newSession() {
        var world = TopicWorld()
        _ = world.takeWords()
        var actions: [ReplicaAction] = []
        world.replica.sessionOpened(at: MonotonicTime(nanoseconds: 1_000_000), into: &actions)
        #expect(!actions.isEmpty)
    }

    @Test("a topic without items is verified like any other: its sum is 0")
    func empty() {
        var world = TopicWorld()
        _ = world.takeWords()
        world.receiveSnapshot()
        #expect(world.takeWords() == ["read", "snapshot"])
        #expect(world.snapshot()[0].checksum == TopicChecksum())
        world.receive(world.bookmark)
        #expect(world.takeWords() == ["verified!"])
    }

    @Test("a topic that has another name than was asked for is shown once it is verified, or when no proof comes for some 2 s")
    func otherName() {
        func named() -> TopicWorld {
            var world = TopicWorld()
            // Under a name that is no feed's the front publishes a topic without items.
            world.receive(world.bookmark)
            world.put("a", "1")
            _ = world.takeWords()
            for part in world.snapshot(topic: .workers) { world.receive(part) }
            return world
        }
        var world = named()
        #expect(world.takeWords() == ["read", "unsubscribe", "subscribe"])
        world.receive(world.bookmark)
        #expect(world.takeWords() == ["snapshot!", "verified!"])
        var changed = named()
        _ = changed.takeWords()
        changed.receive(changed.put("b", "2"))
        #expect(changed.takeWords() == ["snapshot!", "change!"])
        var silent = named()
        _ = silent.takeWords()
        var words: [String] = []
        while !words.contains("snapshot"), silent.now.duration(since: MonotonicTime(nanoseconds: 0)).wholeMilliseconds < 10_000 {
            silent.pass(silent.replica.nextDeadline.duration(since: silent.now).wholeMilliseconds)
            words = silent.takeWords()
        }
        #expect((1_000...2_500).contains(silent.now.duration(since: MonotonicTime(nanoseconds: 0)).wholeMilliseconds))
    }

    @Test("a bookmark that came before the snapshot is proof for it")
    func earlyBookmark() {
        var world = TopicWorld()
        world.put("a", "1")
        world.receive(world.bookmark)
        _ = world.takeWords()
        world.receiveSnapshot()
        #expect(world.takeWords() == ["read", "snapshot", "verified!"])
    }

    @Test("a bookmark older than the snapshot is no proof")
    func oldBookmark() {
        var world = TopicWorld()
        world.put("a", "1")
        let old = world.bookmark
        world.put("b", "2")
        world.receiveSnapshot()
        world.receive(old)
        #expect(!world.replica.isVerified)
    }

    @Test("a bookmark that came before a newer snapshot is neither proof nor a hole")
    func earlyOldBookmark() {
        var world = TopicWorld()
        world.put("a", "1")
        world.receive(world.bookmark)
        world.put("b", "2")
        _ = world.takeWords()
        world.receiveSnapshot()
        #expect(world.takeWords() == ["read", "snapshot"])
        #expect(world.replica.phase == .unverified)
    }

    @Test("changes that came before the snapshot are dropped when older and applied when newer")
    func waitingChanges() {
        var world = TopicWorld()
        let first = world.put("a", "1")
        let part = world.snapshot()[0]
        let second = world.put("b", "2")
        let third = world.remove("a")
        for change in [first, second, third] { world.receive(change) }
        _ = world.takeWords()
        world.receive(part)
        #expect(world.takeWords() == ["read", "snapshot", "change!", "change!"])
        #expect(world.replica.sortedItems == world.items.sorted)
        #expect(world.replica.sequence == SequenceNumber(3))
    }

    @Test("a hole is noticed, asked about, and healed")
    func gap() {
        var world = TopicWorld.verified()
        world.put("b", "2")
        world.receive(world.put("c", "3"))
        #expect(world.takeWords() == ["gap", "ask"])
        world.receiveSnapshot()
        #expect(world.takeWords() == ["read", "snapshot", "verified!"])
        #expect(world.replica.ownChecksum == world.items.fullChecksum())
    }

    @Test("a bookmark ahead of the replica is a hole")
    func bookmarkAhead() {
        var world = TopicWorld.verified()
        world.put("b", "2")
        world.receive(world.bookmark)
        #expect(world.takeWords() == ["gap", "ask"])
    }

    @Test("a change that comes twice is applied once")
    func duplicate() {
        var world = TopicWorld.verified()
        let change = world.put("b", "2")
        world.receive(change)
        world.receive(change)
        #expect(world.takeWords() == ["change!"])
    }

    @Test("one flipped byte in the replica's own memory is found by the next bookmark, and healed")
    func flippedByte() {
        var world = TopicWorld.verified()
        world.replica.items.flipByte(ofItem: Array("a".utf8))
        world.receive(world.bookmark)
        #expect(world.takeWords() == ["checksumDiffers", "ask"])
        world.receiveSnapshot()
        #expect(world.takeWords() == ["read", "snapshot", "verified!"])
    }

    @Test("with healing off a flipped byte stays, is told, and nothing is asked")
    func flippedByteUnhealed() {
        var world = TopicWorld.verified { $0.resyncs = false }
        world.replica.items.flipByte(ofItem: Array("a".utf8))
        world.receive(world.put("b", "2"))
        #expect(world.takeWords() == ["checksumDiffers"])
        #expect(!world.replica.isVerified)
        #expect(world.replica.differences == 1)
    }

    @Test("without proof it asks again after 250 ms, doubling to 5 s, and renews the subscription in between")
    func asksAgain() {
        var world = TopicWorld()
        var asked: [Int64] = []
        while asked.count < 7 {
            let deadline = world.replica.nextDeadline
            _ = world.takeWords()
            world.pass(deadline.duration(since: world.now).wholeMilliseconds)
            if world.takeWords().contains("ask") {
                asked.append(world.now.duration(since: MonotonicTime(nanoseconds: 0)).wholeMilliseconds)
            }
        }
        for (pause, middle) in zip(zip(asked, [0] + asked).map { $0 - $1 }, [250, 500, 1_000, 2_000, 4_000, 5_000, 5_000] as [Int64]) {
            #expect(abs(pause - middle) <= middle / 4)
        }
    }

    @Test("a snapshot in parts counts when the last part is here, each part is acknowledged")
    func parts() {
        var world = TopicWorld()
        for number in 0..<10 { world.put("k\(number)", "v") }
        _ = world.takeWords()
        for part in world.snapshot(parts: 3) { world.receive(part) }
        #expect(world.takeWords() == ["read", "read", "read", "snapshot"])
        #expect(world.replica.sortedItems.count == 10)
    }

    @Test("a part beyond the last one is no part of its snapshot")
    func noParts() throws {
        var part = try #require(TopicWorld().snapshot(parts: 1).first)
        var whole = SnapshotAssembly(part)
        let isTaken = whole.append(part)
        #expect(isTaken && whole.isComplete)
        part.part = 1
        let isTakenBeyond = whole.append(part)
        #expect(!isTakenBeyond)
        (part.part, part.partCount) = (0, 0)
        var none = SnapshotAssembly(part)
        let isTakenOfNone = none.append(part)
        #expect(!isTakenOfNone && none.items.byteCount == 0)
    }

    @Test("parts of different snapshots are never mixed")
    func mixedParts() {
        var world = TopicWorld()
        for number in 0..<10 { world.put("k\(number)", "v") }
        let old = world.snapshot(parts: 2)
        world.put("k0", "w")
        let new = world.snapshot(parts: 2)
        _ = world.takeWords()
        world.receive(old[0])
        world.receive(new[1])
        #expect(world.takeWords() == ["read", "read"])
        #expect(world.replica.phase == .asking)
    }

    @Test("a snapshot whose items do not give its sum is not shown as whole")
    func damagedSnapshot() {
        var world = TopicWorld()
        world.put("a", "1")
        var part = world.snapshot()[0]
        part.items[0].value = [0]
        _ = world.takeWords()
        world.receive(part)
        #expect(world.takeWords() == ["read", "checksumDiffers"])
        #expect(world.replica.phase == .asking)
    }

    @Test("a topic of as many bytes as are kept is shown as whole, one of a byte more is not", arguments: [true, false])
    func byteLimit(isSnapshot: Bool) {
        for (limit, isPersistent) in [(4, true), (3, false)] {
            var world = TopicWorld { $0.byteLimit = limit }
            world.put("a", "1")
            if !isSnapshot { world.receiveSnapshot() }
            let change = world.put("b", "2")
            if isSnapshot { world.receiveSnapshot() } else { world.receive(change) }
            world.receive(world.bookmark)
            #expect(world.replica.isVerified == isPersistent, "\(limit)")
        }
    }

    @Test("a lower epoch of the same front is ignored, a higher one begins again")
    func epochs() {
        var world = TopicWorld.verified()
        let now = world.epoch
        world.epoch = Epoch(99)
        world.receive(world.put("x", "1"))
        #expect(world.takeWords() == [])
        world.epoch = now.advanced()
        (world.items, world.sequence) = (ItemStore(), .none)
        world.put("n", "1")
        world.receive(world.bookmark)
        #expect(world.takeWords() == ["epoch", "ask"])
        world.receiveSnapshot()
        #expect(world.takeWords() == ["read", "snapshot", "verified!"])
    }

    @Test("a new life of the front is asked as soon and as often as at first, however long the one before has not answered")
    func newLifeAfterSilence() {
        var world = TopicWorld()
        world.receive(world.bookmark)
        for _ in 0..<8 { world.pass(world.replica.nextDeadline.duration(since: world.now).wholeMilliseconds) }
        #expect(world.replica.nextDeadline.duration(since: world.now).wholeMilliseconds > 3_000)
        world.epoch = world.epoch.advanced()
        _ = world.takeWords()
        world.receive(world.bookmark)
        #expect(world.takeWords() == ["epoch", "ask"])
        #expect(world.replica.nextDeadline.duration(since: world.now).wholeMilliseconds < 500)
    }

    @Test("another front is a new world: the items of before are gone")
    func newWorld() {
        var world = TopicWorld.verified()
        (world.front, world.epoch) = (FrontID(8), Epoch(1))
        (world.items, world.sequence) = (ItemStore(), .none)
        world.receive(world.bookmark)
        #expect(world.takeWords() == ["epoch", "ask"])
        #expect(world.replica.sortedItems == [])
    }

    @Test("a late snapshot of another front does not begin a new world")
    func strangeSnapshot() {
        var world = TopicWorld.verified()
        world.front = FrontID(8)
        world.receiveSnapshot()
        #expect(world.takeWords() == ["read"])
        #expect(world.replica.front == FrontID(7))
    }

    @Test("too long a silence is no proof any more")
    func silence() {
        var world = TopicWorld.verified()
        world.pass(24_999)
        #expect(world.takeWords() == [])
        world.pass(1)
        #expect(world.takeWords() == ["gap", "ask"])
    }

    @Test("one old bookmark is ignored, three in a row mean that the topic counts anew")
    func countsAnew() {
        var world = TopicWorld.verified()
        world.receive(world.put("b", "2"))
        _ = world.takeWords()
        world.sequence = .none
        world.receive(world.bookmark)
        world.receive(world.bookmark)
        #expect(world.takeWords() == [])
        world.receive(world.bookmark)
        #expect(world.takeWords() == ["gap", "ask"])
        world.receiveSnapshot()
        #expect(world.takeWords() == ["read", "snapshot", "verified!"])
    }

    @Test("any order of loss, repetition and delay ends in sync with the front's bytes", arguments: 0..<50 as Range<UInt64>)
    func anyOrder(seed: UInt64) {
        var random = SplitMix64(mixing: seed)
        var world = TopicWorld()
        var backlog: [Publication] = []
        for _ in 0..<200 {
            switch random.next() % 6 {
            case 0: backlog.append(world.put("k\(random.next() % 5)", "v\(random.next() % 100)"))
            case 1: backlog.append(world.remove("k\(random.next() % 5)"))
            case 2: backlog.append(world.bookmark)
            case 3: if random.next() % 2 == 0 { world.receiveSnapshot() }
            case 4: if !backlog.isEmpty, random.next() % 3 == 0 { backlog.removeFirst() }
            default:
                if let first = backlog.first {
                    world.receive(first)
                    if random.next() % 4 > 0 { backlog.removeFirst() }
                }
            }
            if world.replica.isVerified { #expect(world.replica.ownChecksum == world.replica.items.runningChecksum) }
        }
        for publication in backlog { world.receive(publication) }
        world.receive(world.bookmark)
        if !world.replica.isVerified { world.receiveSnapshot() }
        #expect(world.replica.isVerified)
        #expect(world.replica.sortedItems == world.items.sorted)
    }

    @Test("when the front is back its subscription was made anew just now: the first question that follows does not make it anew again")
    func backAgain() {
        var world = TopicWorld.verified()
        for isLost in [true, false] { world.replica.frontIs(lost: isLost, at: world.now, into: &world.actions) }
        world.actions = []
        world.replica.advance(to: world.replica.nextDeadline, into: &world.actions)
        #expect(world.actions.count == 1 && !world.actions.contains(.renewSubscription), "\(world.actions)")
    }
}
