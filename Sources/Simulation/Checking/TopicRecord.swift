//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What the front has published of a topic in one life: the items at each of its positions.
struct TopicRecord {
    typealias Items = [[UInt8]: [UInt8]]

    let epoch: Epoch
    /// The newest position that was named.
    var newest: Sequence = .none
    /// The items at positions that are known.
    var states: [Sequence: Items] = [:]
    /// Changes by the positions that they lead to.
    var changes: [Sequence: Publication.Change] = [:]
    /// Parts of snapshots that are not whole, by receiver.
    var parts: [PeerID: Partial] = [:]

    /// A snapshot as far as its parts were sent to somebody, one after the other.
    struct Partial {
        let sequence: Sequence
        var nextPart: UInt32 = 0
        var items: Items = [:]
    }
}
