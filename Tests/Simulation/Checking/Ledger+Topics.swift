//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel
import GantryWire

/// Replicas equal the front: what it sent is recorded by topic and position, and every proof of a replica is compared with the record.
extension Ledger {
    /// Whether a publication is a bookmark without a change.
    func isBookmark(_ bytes: [UInt8]) -> Bool {
        guard case .bookmark? = try? WireCodec().decodePublication(bytes) else { return false }
        return true
    }

    /// The front publishes.
    func note(_ publication: Publication, under frame: [UInt8]) {
        switch publication {
        case .bookmark(let bookmark):
            move(frame, bookmark.epoch, to: bookmark.sequence)
            // Whoever begins to observe a topic without items needs no snapshot of it.
            if bookmark.checksum == TopicChecksum() { record([:], at: bookmark.sequence, of: frame) }
        case .change(let change):
            let sequence = change.bookmark.sequence
            move(frame, change.bookmark.epoch, to: sequence)
            topics[frame]?.changes[sequence] = change
            applyChange(after: SequenceNumber(sequence.rawValue - 1), of: frame)
        }
    }

    /// The front sends a part of a snapshot.
    func noteSnapshot(_ part: FrontMessage.SnapshotPart, _ epoch: Epoch, to peer: PeerID) {
        let frame = part.topic.frame
        move(frame, epoch, to: part.sequence)
        let begun = part.part == 0 ? TopicRecord.Partial(sequence: part.sequence) : topics[frame]?.parts[peer]
        // A slow peer's frame is tried again, or is dropped: then what follows it makes nothing whole.
        guard var snapshot = begun, snapshot.sequence == part.sequence, snapshot.nextPart == part.part else { return }
        snapshot.nextPart += 1
        for item in part.items { snapshot.items[item.key] = item.value }
        topics[frame]?.parts[peer] = snapshot
        if snapshot.nextPart == part.partCount { record(snapshot.items, at: part.sequence, of: frame) }
    }

    private func move(_ frame: [UInt8], _ epoch: Epoch, to sequence: SequenceNumber) {
        if topics[frame]?.epoch != epoch { topics[frame] = TopicRecord(epoch: epoch) }
        guard let newest = topics[frame]?.newest, newest < sequence else { return }
        // Each change is the next number; one that was dropped begins again at the turn that brings it up.
        if newest.rawValue > 0, sequence.rawValue > newest.rawValue + 1 { world.metBounds.count(.topicAge) }
        topics[frame]?.newest = sequence
    }

    private func record(_ items: TopicRecord.Items, at sequence: SequenceNumber, of frame: [UInt8]) {
        if let known = topics[frame]?.states[sequence], known != items {
            let name = String(decoding: frame.dropLast(), as: UTF8.self)
            world.violate(
                .snapshotsAgree, "\(name) at \(sequence) has \(items.count) items in one, \(known.count) in the other")
        }
        let isNew = topics[frame]?.states[sequence] == nil
        topics[frame]?.states[sequence] = items
        // A snapshot may have waited for its receiver while changes were published.
        if isNew { applyChange(after: sequence, of: frame) }
    }

    /// What a position that is known and the change that follows it give is the state at the next one.
    private func applyChange(after sequence: SequenceNumber, of frame: [UInt8]) {
        let next = SequenceNumber(sequence.rawValue + 1)
        guard var items = topics[frame]?.states[sequence], let change = topics[frame]?.changes[next] else { return }
        for key in change.removes { items[key] = nil }
        for put in change.puts { items[put.key] = put.value }
        record(items, at: next, of: frame)
    }

    /// A replica says that it is verified.
    func compare(_ items: [TopicItem], at position: Publication.Bookmark, of topic: Topic, by name: String) {
        guard let record = topics[topic.frame], record.epoch == position.epoch else { return }
        verifiedCount += 1
        guard let published = record.states[position.sequence] else {
            return world.violate(
                .replicasEqual, "\(name) is verified at \(topic) \(position.sequence), of which nothing is known")
        }
        let held = Dictionary(items.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
        if held != published {
            world.violate(.replicasEqual, "\(name) is verified at \(topic) \(position.sequence) with other bytes")
        }
    }

    /// The newest position of a topic in the present life of the front.
    func newest(of topic: Topic) -> (epoch: Epoch, sequence: SequenceNumber)? {
        topics[topic.frame].map { ($0.epoch, $0.newest) }
    }
}

/// What the front has published of a topic in one life: the items at each of its positions.
struct TopicRecord {
    typealias Items = [[UInt8]: [UInt8]]

    let epoch: Epoch
    /// The newest position that was named.
    var newest: SequenceNumber = .none
    /// The items at positions that are known.
    var states: [SequenceNumber: Items] = [:]
    /// Changes by the positions that they lead to.
    var changes: [SequenceNumber: Publication.Change] = [:]
    /// Parts of snapshots that are not whole, by receiver.
    var parts: [PeerID: Partial] = [:]

    /// A snapshot as far as its parts were sent to somebody, one after the other.
    struct Partial {
        let sequence: SequenceNumber
        var nextPart: UInt32 = 0
        var items: Items = [:]
    }
}
