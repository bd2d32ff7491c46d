//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// A topic that somebody observes: its items as sent, their sum, and when its next beat is due.
struct LiveTopic {
    let topic: Topic
    let frame: [UInt8]
    var sequence: Sequence
    var digest = TopicDigest()
    /// Items in the order in which they came.
    private(set) var items: [TopicItem] = []
    /// Bytes of them, about.
    private(set) var byteCount = 0
    /// When it was asked for or observed last.
    var usedAt: MonotonicTime
    var nextBeat: MonotonicTime
    private var beatsSinceChange = 0

    /// Beats come 1, 2, 4 and 8 s after a change, for who has missed it is to see that soon, and then each 10 s: two of them may be lost before
    /// a client, which waits 25 s for any word of its topic, asks for a snapshot.
    private static var firstBeat: Duration { .seconds(1) }
    private static var doublingBeats: Int { 3 }
    private static var idleBeat: Duration { .seconds(10) }

    init(_ topic: Topic, sequence: Sequence, now: MonotonicTime) {
        self.topic = topic
        self.frame = topic.frame
        self.sequence = sequence
        self.usedAt = now
        self.nextBeat = now.advanced(by: Self.firstBeat)
    }

    /// Puts or removes an item; false if nothing is different.
    mutating func set(_ key: [UInt8], _ value: [UInt8]?) -> Bool {
        let index = items.firstIndex { $0.key == key }
        if let index, let value {
            guard items[index].value != value else { return false }
            digest.remove(key: key, value: items[index].value)
            byteCount += value.count - items[index].value.count
            items[index].value = value
            digest.add(key: key, value: value)
        } else if let value {
            items.append(TopicItem(key: key, value: value))
            byteCount += items[items.count - 1].roughByteCount
            digest.add(key: key, value: value)
        } else if let index {
            digest.remove(key: key, value: items[index].value)
            byteCount -= items[index].roughByteCount
            items.remove(at: index)
        } else {
            return false
        }
        return true
    }

    /// One more change; beats begin anew.
    mutating func count(at now: MonotonicTime) {
        sequence = sequence.advanced()
        beatsSinceChange = 0
        nextBeat = now.advanced(by: Self.firstBeat)
    }

    /// A beat goes out: when the next one is due.
    mutating func beat(at now: MonotonicTime) {
        beatsSinceChange += 1
        let isSoon = beatsSinceChange <= Self.doublingBeats
        nextBeat = now.advanced(by: isSoon ? Self.firstBeat * (1 << Int(beatsSinceChange - 1)) : Self.idleBeat)
    }

    func proof(front: FrontID, epoch: Epoch) -> Publication.Beat {
        Publication.Beat(front: front, epoch: epoch, sequence: sequence, digest: digest)
    }
}

extension TopicItem {
    /// Bytes of its key and value, and what it takes beside them.
    var roughByteCount: Int { key.count + value.count + RoughSize.item }
}
