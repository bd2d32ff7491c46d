//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// A topic that somebody observes: its items as sent, their checksum, and when its next bookmark is due.
struct LiveTopic {
    let topic: Topic
    let frame: [UInt8]
    var sequence: Sequence
    var checksum = TopicChecksum()
    /// Items in the order in which they came.
    private(set) var items: [TopicItem] = []
    /// Bytes of them, about.
    private(set) var byteCount = 0
    /// When it was asked for or observed last.
    var usedAt: MonotonicTime
    var nextBookmark: MonotonicTime
    private var bookmarksSinceChange = 0

    /// Bookmarks come 1, 2, 4 and 8 s after a change, for who has missed it is to see that soon, and then each 10 s: two of them may be lost before
    /// a client, which waits 25 s for any word of its topic, asks for a snapshot.
    private static var firstBookmark: Duration { .seconds(1) }
    private static var doublingBookmarks: Int { 3 }
    private static var idleBookmark: Duration { .seconds(10) }

    init(_ topic: Topic, sequence: Sequence, now: MonotonicTime) {
        self.topic = topic
        self.frame = topic.frame
        self.sequence = sequence
        self.usedAt = now
        self.nextBookmark = now.advanced(by: Self.firstBookmark)
    }

    /// Puts or removes an item; false if nothing is different.
    mutating func set(_ key: [UInt8], _ value: [UInt8]?) -> Bool {
        let index = items.firstIndex { $0.key == key }
        if let index, let value {
            guard items[index].value != value else { return false }
            checksum.remove(key: key, value: items[index].value)
            byteCount += value.count - items[index].value.count
            items[index].value = value
            checksum.add(key: key, value: value)
        } else if let value {
            items.append(TopicItem(key: key, value: value))
            byteCount += items[items.count - 1].roughByteCount
            checksum.add(key: key, value: value)
        } else if let index {
            checksum.remove(key: key, value: items[index].value)
            byteCount -= items[index].roughByteCount
            items.remove(at: index)
        } else {
            return false
        }
        return true
    }

    /// One more change; bookmarks begin anew.
    mutating func count(at now: MonotonicTime) {
        sequence = sequence.advanced()
        bookmarksSinceChange = 0
        nextBookmark = now.advanced(by: Self.firstBookmark)
    }

    /// A bookmark goes out: when the next one is due.
    mutating func bookmark(at now: MonotonicTime) {
        bookmarksSinceChange += 1
        let isSoon = bookmarksSinceChange <= Self.doublingBookmarks
        nextBookmark = now.advanced(by: isSoon ? Self.firstBookmark * (1 << Int(bookmarksSinceChange - 1)) : Self.idleBookmark)
    }

    func bookmark(front: FrontID, epoch: Epoch) -> Publication.Bookmark {
        Publication.Bookmark(front: front, epoch: epoch, sequence: sequence, checksum: checksum)
    }
}

extension TopicItem {
    /// Bytes of its key and value, and what it takes beside them.
    var roughByteCount: Int { key.count + value.count + RoughSize.item }
}
