//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Dispatch
import GantryModel

@testable import Journal

/// A journal whose events are waited for, never polled.
final class RunningJournal {
    let journal: SQLiteJournal
    private let signal = DispatchSemaphore(value: 0)

    init(_ folder: String, wallSeconds: UInt64 = 100, front: UInt64 = 7) throws {
        journal = try SQLiteJournal.open(
            folder: folder, wallSeconds: wallSeconds, newFrontID: FrontID(front), ballastByteCount: 1 << 16)
    }

    /// What an earlier life left, in order.
    func restored() throws -> [RestoredRow] {
        var rows: [RestoredRow] = []
        while let row = try journal.nextRestored() { rows.append(row) }
        return rows
    }

    func start() throws {
        let signal = signal
        try journal.start { signal.signal() }
    }

    func nextEvent() -> JournalEvent? {
        signal.wait()
        return journal.nextEvent()
    }

    /// Appends a row and waits for what became of it.
    func commit(_ turn: UInt64, _ entries: [UInt8], slice: JournalRow.Slice? = nil) -> JournalEvent? {
        journal.append(JournalRow(turn: TurnNumber(turn), entries: entries, slice: slice))
        return nextEvent()
    }
}
