//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// A turn whose row is at the journal: what leaves once the row is durable.
struct ClosedTurn {
    let turn: TurnNumber
    /// What is sent with it.
    var decided = DecisionMark(lease: 0, attachment: 0)
    /// When the row was handed over.
    var handedOverAt = MonotonicTime(nanoseconds: 0)
    var frames: [(peer: PeerID, bytes: [UInt8])] = []
    var publications: [(frame: [UInt8], bytes: [UInt8])] = []
    /// Bytes for each client, roughly.
    var byteCounts: [PeerID: Int] = [:]
}
