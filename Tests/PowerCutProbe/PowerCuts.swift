//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import CPowerCut
import Foundation
import GantryModel
import Journal

/// One journal over many power cuts.
struct PowerCuts {
    let folder: String
    var random: SplitMix64
    var acknowledgedCount = 0
    var unsyncedFileCount = 0
    /// The last turn that was acknowledged, and the last that was handed over.
    private var acknowledged = TurnNumber.none
    private var appended = TurnNumber.none

    init(folder: String, random: SplitMix64) {
        self.folder = folder
        self.random = random
    }

    /// Opens the journal, checks what the cut before left, and writes until the power goes.
    mutating func life() throws {
        gantry_powercut_arm(UInt64.random(in: 1...([40, 300].randomElement(using: &random) ?? 40), using: &random))
        do {
            try write()
        } catch let error as JournalError where gantry_powercut_is_cut() != 0 {
            // The power went while the journal was opened or read: whatever it says then is right.
            _ = error
        }
        unsyncedFileCount += Int(gantry_powercut_settle(random.next()))
        try check()
    }

    /// Appends rows of many sizes, now and then a checkpoint, until the power goes.
    private mutating func write() throws {
        let journal = try SQLiteJournal.open(folder: folder, wallSeconds: 1, newFrontID: FrontID(7), ballastByteCount: 4_096)
        while try journal.nextRestored() != nil {}
        let signal = DispatchSemaphore(value: 0)
        var turn = journal.lastTurn
        var checkpoint: TurnNumber?
        try journal.start { signal.signal() }
        while true {
            turn = turn.advanced()
            if checkpoint == nil, Int.random(in: 0..<12, using: &random) == 0 { checkpoint = turn }
            var slice: JournalRow.Slice?
            if let begun = checkpoint {
                let isLast = Bool.random(using: &random)
                slice = .init(checkpoint: begun, entries: Self.bytes(of: turn), isLast: isLast)
                if isLast { checkpoint = nil }
            }
            appended = turn
            journal.append(JournalRow(turn: turn, entries: Self.bytes(of: turn), slice: slice))
            var isWaiting = true
            while isWaiting {
                signal.wait()
                switch journal.nextEvent() {
                case .durable(let durable):
                    acknowledged = durable
                    acknowledgedCount += 1
                    isWaiting = false
                case .failed, .fenced, .inDoubt:
                    guard gantry_powercut_is_cut() != 0 else { throw Broken("the journal failed without a power cut") }
                    // The file is closed like a process that ends: nothing can be written any more.
                    try? journal.close()
                    return
                case .bundle, .full, .roomAgain, .authorityRenewed, nil: continue
                }
            }
        }
    }

    /// Every acknowledged turn is there, none is missing between the first and the last, and none was made up.
    private func check() throws {
        let journal = try SQLiteJournal.open(folder: folder, wallSeconds: 1, newFrontID: FrontID(7), ballastByteCount: 4_096)
        var last: TurnNumber?
        while let row = try journal.nextRestored() {
            guard row.entries == Self.bytes(of: row.turn) else { throw Broken("turn \(row.turn) has other bytes than were written") }
            if row.isSlice { continue }
            if let last, row.turn != last.advanced() { throw Broken("turn \(row.turn) follows turn \(last)") }
            last = row.turn
        }
        let found = last ?? .none
        guard found >= acknowledged else { throw Broken("turn \(acknowledged) was acknowledged, the last that is there is \(found)") }
        guard found <= appended else { throw Broken("turn \(found) is there and was never written") }
        try journal.close()
    }

    /// What a turn's row holds: 0 to about 40,000 bytes, mostly few.
    private static func bytes(of turn: TurnNumber) -> [UInt8] {
        var random = SplitMix64(mixing: turn.rawValue)
        let limit = [40, 400, 4_000, 40_000][Int.random(in: 0..<4, using: &random)]
        let count = Int.random(in: 0...limit, using: &random)
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }
}
