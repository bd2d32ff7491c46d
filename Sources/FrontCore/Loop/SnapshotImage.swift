//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// A topic's items as of a turn in encoded parts, shared by everybody who asks for them in that turn.
///
/// After a restart of the front a thousand observers ask at once: to encode the same items for each of them would hold up everybody's jobs.
struct SnapshotImage {
    /// What makes two snapshots of a turn the same bytes.
    struct Shape: Hashable {
        let topic: Topic
        /// The topic as it was asked for, where that was another text.
        let asked: String?
        /// Bytes of items that one part takes.
        let partByteLimit: Int
    }

    /// Each to be put behind an envelope for whoever asked.
    let parts: [[UInt8]]
    /// Bytes of all items with their keys.
    let byteCount: Int

    /// Cuts the items into parts and encodes each.
    init(_ shape: Shape, of live: LiveTopic, _ codec: some EnvelopeCodec) {
        var groups: [[TopicItem]] = [[]]
        var (byteCount, total) = (0, 0)
        for item in live.items {
            let size = item.roughByteCount
            if byteCount + size > shape.partByteLimit, groups.last?.isEmpty == false {
                groups.append([])
                byteCount = 0
            }
            groups[groups.count - 1].append(item)
            byteCount += size
            total += size
        }
        self.byteCount = total
        parts = groups.enumerated().map { index, items in
            codec.encode(
                FrontMessage.SnapshotPart(
                    topic: shape.topic, asked: shape.asked, sequence: live.sequence, checksum: live.checksum, part: UInt32(index),
                    partCount: UInt32(groups.count), items: items))
        }
    }
}
