//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// A turn that is closed: what leaves once its row is durable, and all rows before it, and while the front is known to be the writer.
struct ClosedTurn {
    let turn: TurnNumber
    /// What is sent with it.
    let decided: DecisionMark
    /// When the row was handed over.
    var submittedAt = MonotonicTime(nanoseconds: 0)
    /// The row that is not durable yet, kept because a commit in doubt needs the very same bytes again; nil: nothing has to become durable.
    var row: JournalRow?
    /// Bundles of ended jobs that are read once it is durable.
    var bundlesToRead: [BundleNumber] = []
    var frames: [OutgoingFrame] = []
    var publications: [(frame: [UInt8], bytes: [UInt8])] = []
    /// How many of both have left: authority may run out between two frames.
    private(set) var sentFrames = 0
    private(set) var sentPublications = 0
    /// Bytes for each client, roughly.
    var byteCounts: [PeerID: Int] = [:]
    /// Bytes of parts of snapshots, for all clients.
    var snapshotByteCount = 0

    init(_ turn: TurnNumber, decided: DecisionMark) {
        self.turn = turn
        self.decided = decided
    }

    /// Its row is durable: it is not kept any longer.
    mutating func takeRow() -> JournalRow? { exchange(&row, with: nil) }

    /// The next frame to leave, counted as sent; nil: all have left, and their memory is used for those of the turn's next part.
    mutating func takeFrame() -> OutgoingFrame? {
        guard sentFrames < frames.count else {
            frames.removeAll(keepingCapacity: true)
            sentFrames = 0
            return nil
        }
        defer { sentFrames += 1 }
        return frames[sentFrames]
    }

    /// The same for what is published.
    mutating func takePublication() -> (frame: [UInt8], bytes: [UInt8])? {
        guard sentPublications < publications.count else {
            publications.removeAll(keepingCapacity: true)
            sentPublications = 0
            return nil
        }
        defer { sentPublications += 1 }
        return publications[sentPublications]
    }

    /// Whether something of it has not left.
    var hasUnsent: Bool { sentFrames < frames.count || sentPublications < publications.count }
}
