//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import Model

/// A machine that takes each entry once, as soon as the front has decided it, so that the state can be compared after every turn: to replay
/// what is under way anew each time costs as much as the state is large.
struct Follower {
    typealias Rows = [(row: JournalRow, entries: [JournalEntry])]

    private(set) var machine: FrontMachine
    /// The first row that it has not taken whole.
    private var next: TurnNumber
    /// What it has taken of that row, before there was one.
    private var taken: [JournalEntry] = []

    /// - Parameters:
    ///   - durable: A machine that has taken what is on the disk.
    ///   - last: The last turn on the disk.
    init(_ durable: FrontMachine, last: TurnNumber) {
        machine = durable
        next = last.advanced()
    }

    /// A row is handed over. If it is not what the front has decided, that shows as a difference: rows alone are what a restart would read.
    ///
    /// - Parameters:
    ///   - durable: A machine that has taken what is on the disk.
    ///   - underWay: The rows that are not.
    /// - Throws: what cannot be true in a row.
    mutating func take(_ row: JournalRow, _ entries: [JournalEntry], durable: FrontMachine, underWay: Rows) throws(CodecError) {
        guard row.turn >= next else { return }
        if entries.starts(with: taken) {
            try restore(Array(entries.dropFirst(taken.count)), row.turn)
        } else {
            machine = durable
            for (row, entries) in underWay { try restore(entries, row.turn) }
        }
        (next, taken) = (row.turn.advanced(), [])
    }

    /// What the front has decided and no row has yet.
    mutating func take(_ unwritten: [JournalEntry], after last: TurnNumber) throws(CodecError) {
        guard unwritten.count > taken.count else { return }
        try restore(Array(unwritten.dropFirst(taken.count)), last.advanced())
        taken = unwritten
    }

    private mutating func restore(_ entries: [JournalEntry], _ turn: TurnNumber) throws(CodecError) {
        if !entries.isEmpty { try machine.restore(entries, turn: turn, isSlice: false) }
    }
}
