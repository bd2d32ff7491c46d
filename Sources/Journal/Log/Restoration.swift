//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

/// Reads back what an earlier epoch left: the newest complete checkpoint's slices, then every log row from its first turn on.
///
/// Holds about 1 MiB of rows at a time. A row that is missing, doubled or does not belong ends it with an error.
package struct Restoration {
    private enum Phase {
        /// Those of the newest checkpoint. Moves to log behind its last one.
        case slices
        /// Rows from its first turn on. Final.
        case log
    }

    private let head: JournalHead
    private var phase: Phase
    private var next: TurnNumber
    private var before: TurnNumber?
    private var buffer: ArraySlice<JournalRecord> = []

    /// Begins at the newest complete checkpoint, or at the first row.
    package init(head: JournalHead) {
        self.head = head
        self.phase = head.checkpoint == .none ? .log : .slices
        self.next = head.checkpoint
    }

    /// The next row; nil: that was the last.
    package mutating func nextRow(from store: some JournalLog) throws(JournalError) -> RestoredRow? {
        while true {
            if buffer.isEmpty { buffer = try store.records(from: next)[...] }
            guard let record = buffer.popFirst() else {
                if phase == .slices || (head.checkpoint != .none && before == nil) {
                    throw .corrupt(store.path, "the checkpoint of turn \(head.checkpoint) is not whole")
                }
                return nil
            }
            try check(record, path: store.path)
            before = record.row.turn
            next = record.row.turn.advanced()
            switch phase {
            case .log: return RestoredRow(turn: record.row.turn, entries: record.row.entries, isSlice: false)
            case .slices:
                // Turns go on between slices; what a row without one changed is read in the second walk, behind all slices.
                guard let slice = record.row.slice, slice.checkpoint == head.checkpoint else { continue }
                if slice.isLast { beginLog() }
                return RestoredRow(turn: record.row.turn, entries: slice.entries, isSlice: true)
            }
        }
    }

    private mutating func beginLog() {
        phase = .log
        next = head.checkpoint
        before = nil
        buffer = []
    }

    /// Each row names the turn before it; the first one is the checkpoint's or the journal's first.
    private func check(_ record: JournalRecord, path: String) throws(JournalError) {
        let isInOrder: Bool
        if let before {
            isInOrder = record.previous == before
        } else if head.checkpoint == .none {
            isInOrder = record.previous == .none
        } else {
            isInOrder = record.row.turn == head.checkpoint
        }
        if !isInOrder { throw .corrupt(path, "rows before turn \(record.row.turn) are missing") }
        if phase == .slices, record.row.turn > head.checkpointEnd {
            throw .corrupt(path, "the checkpoint of turn \(head.checkpoint) has no end")
        }
        if record.epoch > head.epoch { throw .corrupt(path, "turn \(record.row.turn) is of an epoch that never began") }
    }
}
