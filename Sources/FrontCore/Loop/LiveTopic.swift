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
    var items: [TopicItem] = []
    /// When it was asked for or observed last.
    var usedAt: MonotonicTime
    var nextBeat: MonotonicTime
    /// Seconds from the last change at which beats come: 1, 2, 4, 8, then each 10.
    private var beatsSinceChange = 0

    init(_ topic: Topic, sequence: Sequence, now: MonotonicTime) {
        self.topic = topic
        self.frame = topic.frame
        self.sequence = sequence
        self.usedAt = now
        self.nextBeat = now.adding(milliseconds: 1_000)
    }

    /// Puts or removes an item; false if nothing is different.
    mutating func set(_ key: [UInt8], _ value: [UInt8]?) -> Bool {
        let index = items.firstIndex { $0.key == key }
        if let index, let value {
            guard items[index].value != value else { return false }
            digest.remove(key: key, value: items[index].value)
            items[index].value = value
            digest.add(key: key, value: value)
        } else if let value {
            items.append(TopicItem(key: key, value: value))
            digest.add(key: key, value: value)
        } else if let index {
            digest.remove(key: key, value: items[index].value)
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
        nextBeat = now.adding(milliseconds: 1_000)
    }

    /// A beat goes out: when the next one is due.
    mutating func beat(at now: MonotonicTime) {
        beatsSinceChange += 1
        let seconds: Int64 = beatsSinceChange <= 3 ? 1 << Int64(beatsSinceChange - 1) : 10
        nextBeat = now.adding(milliseconds: seconds * 1_000)
    }

    func proof(front: FrontID, epoch: Epoch) -> Publication.Beat {
        Publication.Beat(front: front, epoch: epoch, sequence: sequence, digest: digest)
    }
}
