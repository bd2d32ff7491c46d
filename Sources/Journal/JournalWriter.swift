//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Dispatch
import GRDB
import Model

/// The body of the journal's thread: commits rows in order, drops old ones between them, and deals with a full disk.
struct JournalWriter {
    /// How often a full disk is tried again, and the reserve made again.
    private static let retryInterval = DispatchTimeInterval.milliseconds(250)
    /// After how many pages in the WAL it is emptied: 16 MiB keep the file small and the pages of many turns together.
    private static let walPageCount = 4096

    let desk: JournalDesk
    let store: JournalStore
    let reserve: Reserve
    let onEvent: @Sendable () -> Void
    var head: JournalHead
    var lastTurn: TurnNumber
    /// The checkpoint below which rows are still to be dropped.
    var cutBelow: TurnNumber?
    var reserveIsHeld: Bool
    private var walPages = 0

    init(
        desk: JournalDesk, store: JournalStore, reserve: Reserve, head: JournalHead, lastTurn: TurnNumber, reserveIsHeld: Bool,
        onEvent: @escaping @Sendable () -> Void
    ) {
        self.desk = desk
        self.store = store
        self.reserve = reserve
        self.onEvent = onEvent
        self.head = head
        self.lastTurn = lastTurn
        self.cutBelow = head.checkpoint == .none ? nil : head.checkpoint
        self.reserveIsHeld = reserveIsHeld
    }

    /// Runs until closed, fenced or failed.
    mutating func run() {
        if !reserveIsHeld { say(.full) }
        var isAlive = true
        while isAlive {
            switch desk.nextTask() {
            case .commit(let row): isAlive = commit(row)
            case .close: isAlive = false
            case nil: isAlive = useTheQuiet()
            }
        }
        desk.end()
    }

    private func say(_ event: JournalEvent) {
        desk.add(event)
        onEvent()
    }

    /// Commits a row, however long the disk is full; false: this was the last.
    private mutating func commit(_ row: JournalRow) -> Bool {
        let record = JournalRecord(row: row, previous: lastTurn, epoch: head.epoch)
        var newHead: JournalHead?
        if let slice = row.slice, slice.isLast {
            newHead = head
            newHead?.checkpoint = slice.checkpoint
            newHead?.checkpointEnd = row.turn
        }
        var isFirstTry = true
        var isFullSaid = false
        while true {
            do {
                let (outcome, cutIsDone) = try store.insert(record, head: newHead, cutBelow: isFirstTry ? cutBelow : nil)
                guard outcome == .written else {
                    say(.fenced)
                    return false
                }
                if cutIsDone { cutBelow = nil }
                break
            } catch let fault as DatabaseError where fault.resultCode == .SQLITE_FULL {
                if desk.isClosing { return false }
                isFirstTry = false
                if reserveIsHeld {
                    giveUpReserve()
                    continue
                }
                // Once for each row: the loop is to know that this one waits, not only that the reserve is gone.
                if !isFullSaid { say(.full) }
                isFullSaid = true
                desk.waitForWork(atMost: Self.retryInterval)
            } catch {
                say(.failed(Self.describe(error)))
                return false
            }
        }
        lastTurn = row.turn
        if let newHead {
            head = newHead
            cutBelow = newHead.checkpoint
        }
        say(.durable(row.turn))
        return emptyWAL(after: (row.facts.count + (row.slice?.facts.count ?? 0)) / 4000 + 2)
    }

    private mutating func giveUpReserve() {
        reserve.release()
        reserveIsHeld = false
        say(.full)
    }

    /// Nothing is handed over: a step of the cut, or the reserve, or sleep.
    private mutating func useTheQuiet() -> Bool {
        if let checkpoint = cutBelow {
            do {
                if try store.cut(below: checkpoint) { cutBelow = nil }
                return emptyWAL(after: 300)
            } catch let fault as DatabaseError where fault.resultCode == .SQLITE_FULL {
                // The rows stay until the next checkpoint is complete; appends come first.
                cutBelow = nil
                return true
            } catch {
                say(.failed(Self.describe(error)))
                return false
            }
        }
        desk.waitForWork(atMost: reserveIsHeld ? nil : Self.retryInterval)
        if !reserveIsHeld, reserve.make() {
            reserveIsHeld = true
            say(.roomAgain)
        }
        return true
    }

    /// Counts pages, and empties the WAL when they are many; without room it is left to grow, as the reserve guards the appends.
    private mutating func emptyWAL(after pages: Int) -> Bool {
        walPages += pages
        guard walPages >= Self.walPageCount else { return true }
        walPages = 0
        do {
            try store.emptyWAL()
        } catch let fault as DatabaseError where fault.resultCode == .SQLITE_FULL {
            return true
        } catch {
            say(.failed(Self.describe(error)))
            return false
        }
        return true
    }

    private static func describe(_ error: any Error) -> String {
        guard let fault = error as? DatabaseError else { return "\(error)" }
        return "\(fault.message ?? "SQLite error") (code \(fault.extendedResultCode.rawValue))"
    }
}
