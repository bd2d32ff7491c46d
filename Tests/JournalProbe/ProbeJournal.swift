//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Dispatch
import Foundation
import GantryModel
import Journal

/// A started journal whose events are waited for one by one.
final class ProbeJournal {
    let journal: SQLiteJournal
    private let signal = DispatchSemaphore(value: 0)
    private var turn: TurnNumber

    init(folder: String, ballastByteCount: Int) throws {
        journal = try SQLiteJournal.open(
            folder: folder, wallSeconds: UInt64(Date().timeIntervalSince1970), newFrontID: FrontID(.random(in: 1 ... .max)),
            ballastByteCount: ballastByteCount)
        turn = journal.lastTurn
        let signal = signal
        try journal.start { signal.signal() }
    }

    func next() -> TurnNumber {
        turn = turn.advanced()
        return turn
    }

    /// Waits for the next event.
    func nextEvent() -> JournalEvent {
        while true {
            signal.wait()
            if let event = journal.nextEvent() { return event }
        }
    }

    /// Appends and waits; the events up to the row's own `durable`, or up to one that ends the journal.
    func commit(_ row: JournalRow) -> [JournalEvent] {
        journal.append(row)
        var events: [JournalEvent] = []
        while true {
            let event = nextEvent()
            events.append(event)
            switch event {
            case .durable(let turn) where turn == row.turn: return events
            case .fenced, .failed: return events
            case .durable, .inDoubt, .bundle, .full, .roomAgain, .authorityRenewed: continue
            }
        }
    }
}
