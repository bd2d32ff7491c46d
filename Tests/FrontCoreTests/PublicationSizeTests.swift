//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryWire
import Testing

@testable import FrontCore

/// A publication goes to all observers alike, and a socket is closed by a frame that is larger than it takes.
@Suite("Large publications")
struct PublicationSizeTests {
    /// What an observer holds that has seen the topic while it was empty, and applies each change that follows.
    private struct Observer {
        private(set) var position: Publication.Bookmark?
        private(set) var items: [[UInt8]: [UInt8]] = [:]
        /// The checksum at each position.
        private(set) var checksums: [SequenceNumber: TopicChecksum] = [:]
        private(set) var changeCount = 0
        private var checksum = TopicChecksum()

        mutating func read(_ publication: Publication) throws {
            switch publication {
            case .bookmark(let bookmark): try hold(bookmark, at: position?.sequence ?? bookmark.sequence)
            case .change(let change):
                let before = try #require(position)
                for put in change.puts { set(put.key, put.value) }
                for key in change.removes { set(key, nil) }
                try hold(change.bookmark, at: before.sequence.advanced())
                changeCount += 1
            }
        }

        private mutating func hold(_ bookmark: Publication.Bookmark, at expected: SequenceNumber) throws {
            try #require(bookmark.sequence == expected, "there is a hole")
            let sum = checksum
            try #require(bookmark.checksum == sum)
            position = bookmark
            checksums[bookmark.sequence] = sum
        }

        private mutating func set(_ key: [UInt8], _ value: [UInt8]?) {
            if let old = items[key] { checksum.remove(key: key, value: old) }
            if let value { checksum.add(key: key, value: value) }
            items[key] = value
        }
    }

    private func register(_ number: Int, loaders: Int, at front: LoopHarness) {
        let names = (10..<10 + loaders).map { String(repeating: "a", count: 61) + "\($0)" }
        let offered = names.map { LoaderDeclaration(name: $0) }
        var registration = WorkerMessage.Registration(
            name: String(repeating: "w", count: 64), processID: 1, slots: 1, prefetch: 0, loaders: offered)
        registration.secret = Array(repeating: UInt8(truncatingIfNeeded: number), count: 32)
        front.worker(PeerID(UInt64(1_000 + number)), WorkerEnvelope(worker: WorkerID(UInt64(number)), messages: [.register(registration)]))
    }

    private func holds(_ observer: Observer, _ topic: Topic, of front: LoopHarness) throws -> Bool {
        let live = try #require(front.loop.topics.live(topic))
        return observer.items == Dictionary(uniqueKeysWithValues: live.items.map { ($0.key, $0.value) })
            && observer.position == live.bookmark(front: FrontID(1), epoch: front.epoch)
    }

    @Test("when all workers that may be change in one turn, with all that each may offer, no publication is larger than the largest frame")
    func manyWorkers() throws {
        let front = try LoopHarness()
        var observer = Observer()
        front.subscribe(.workers)
        try front.turn()
        for number in 1...Bounds().workers { register(number, loaders: Bounds().loadersPerWorker, at: front) }
        try front.turn(8)
        var sizes: [Int] = []
        for publication in front.takePublished() {
            sizes.append(WireCodec().encode(publication).count)
            try observer.read(publication)
        }
        #expect(sizes.reduce(0, +) > MessageBounds.frameByteCount, "one publication would be too large")
        #expect(sizes.allSatisfy { $0 <= MessageBounds.frameByteCount }, "\(sizes)")
        #expect(observer.items.count == Bounds().workers)
        #expect(try holds(observer, .workers, of: front))
    }

    @Test(
        "a turn's changes of a topic beyond the bound have numbers of their own, and its snapshot is as of the last one",
        arguments: [1, 200, 4_096])
    func numbered(_ byteLimit: Int) throws {
        var settings = LoopSettings()
        settings.snapshotPartByteLimit = byteLimit
        let front = try LoopHarness(loop: settings)
        let session = try front.open()
        var observer = Observer()
        front.subscribe(.workers)
        try front.turn()
        for publication in front.takePublished() { try observer.read(publication) }
        for number in 1...3 { register(number, loaders: 1, at: front) }
        front.client(PeerID(7), session, .snapshot(topic: .workers))
        try front.turn(1)
        try front.turn()
        for publication in front.takePublished() { try observer.read(publication) }
        // A worker's item has some 200 bytes.
        #expect(byteLimit == 4_096 ? observer.changeCount < 3 : observer.changeCount >= 3)
        #expect(try holds(observer, .workers, of: front))
        guard case .snapshot(let part)? = try front.takeMessages().first else {
            Issue.record("no snapshot")
            return
        }
        #expect(observer.items.count == 3 && observer.checksums[part.sequence] == part.checksum)
    }

    @Test("half of the largest frame is the bound where that is less, and values that are not different are no change")
    func smallFrames() throws {
        var settings = LoopSettings()
        settings.largestFrame = 1_000
        let front = try LoopHarness(loop: settings)
        var observer = Observer()
        front.subscribe(.workers)
        try front.turn()
        for number in 1...12 { register(number, loaders: 1, at: front) }
        try front.turn(8)
        let published = front.takePublished()
        for publication in published { try observer.read(publication) }
        #expect(published.allSatisfy { WireCodec().encode($0).count <= 1_000 })
        #expect(observer.items.count == 12 && observer.changeCount >= 4)
        for number in 1...12 { front.loop.gathered.change(.workers, ItemKey.worker(WorkerID(UInt64(number)))) }
        try front.turn()
        #expect(front.takePublished().isEmpty)
        #expect(try holds(observer, .workers, of: front))
    }
}
