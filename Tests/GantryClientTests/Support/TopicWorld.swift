//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

@testable import GantryClient

/// A front's topic and a replica of it, with a manual clock.
struct TopicWorld {
    var replica: ReplicaMachine
    var now = MonotonicTime(nanoseconds: 0)
    var front = FrontID(7)
    var epoch = Epoch(100)
    var sequence = SequenceNumber.none
    var items = ItemStore()
    var actions: [ReplicaAction] = []

    init(_ change: (inout ReplicaSettings) -> Void = { _ in }) {
        var settings = ReplicaSettings()
        change(&settings)
        replica = ReplicaMachine(topic: .jobs, settings: settings, seed: 1)
        var actions: [ReplicaAction] = []
        replica.start(at: now, into: &actions)
        self.actions = actions
    }

    /// A world whose replica is in sync with one item.
    static func verified(_ change: (inout ReplicaSettings) -> Void = { _ in }) -> TopicWorld {
        var world = TopicWorld(change)
        world.put("a", "1")
        world.receiveSnapshot()
        world.receive(world.bookmark)
        world.actions = []
        return world
    }

    var position: Publication.Bookmark {
        Publication.Bookmark(front: front, epoch: epoch, sequence: sequence, checksum: items.fullChecksum())
    }
    var bookmark: Publication { .bookmark(position) }

    /// Changes an item at the front and gives the change.
    @discardableResult
    mutating func put(_ key: String, _ value: String) -> Publication {
        let item = TopicItem(key: Array(key.utf8), value: Array(value.utf8))
        items.put(item)
        sequence = sequence.advanced()
        return .change(Publication.Change(bookmark: position, puts: [item], removes: []))
    }

    /// Removes an item at the front and gives the change.
    mutating func remove(_ key: String) -> Publication {
        items.remove(Array(key.utf8))
        sequence = sequence.advanced()
        return .change(Publication.Change(bookmark: position, puts: [], removes: [Array(key.utf8)]))
    }

    /// The front's snapshot as it is now, in so many parts.
    func snapshot(topic: Topic = .jobs, parts: Int = 1) -> [FrontMessage.SnapshotPart] {
        let sorted = items.sorted
        return (0..<parts).map { part in
            let slice = sorted[(sorted.count * part / parts)..<(sorted.count * (part + 1) / parts)]
            return FrontMessage.SnapshotPart(
                topic: topic, sequence: sequence, checksum: items.fullChecksum(), part: UInt32(part), partCount: UInt32(parts),
                items: Array(slice)
            )
        }
    }

    mutating func receive(_ publication: Publication) { replica.received(publication, at: now, into: &actions) }

    mutating func receive(_ part: FrontMessage.SnapshotPart) { replica.received(part, of: front, epoch, at: now, into: &actions) }

    mutating func receiveSnapshot() { for part in snapshot() { receive(part) } }

    mutating func pass(_ milliseconds: Int64) {
        now = now.advanced(by: .milliseconds(milliseconds))
        replica.advance(to: now, into: &actions)
    }

    /// Events, questions and the like since the last call, as words.
    mutating func takeWords() -> [String] {
        defer { actions = [] }
        return actions.map { action in
            switch action {
            case .subscribe: "subscribe"
            case .unsubscribe: "unsubscribe"
            case .renewSubscription: "renew"
            case .send(.snapshot): "ask"
            case .send(.snapshotPartRead): "read"
            case .send: "other"
            case .emit(let update): update.isVerified ? "\(update.event.rawValue)!" : update.event.rawValue
            }
        }
    }
}
