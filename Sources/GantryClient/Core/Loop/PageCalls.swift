//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import GantryModel

/// Questions for pages: numbered, repeated until answered. A page is only read, so a second answer is harmless and dropped.
struct PageCalls: Sendable {
    private struct Entry: Sendable {
        var request: PageRequest
        var callID: CallID
        var backoff = PageCalls.unrepeated
        var sendAt: MonotonicTime
    }

    /// Pauses before a question is asked again, in milliseconds: as for requests. A page comes within some, unless its disk is slow.
    private static let unrepeated = Backoff(first: .milliseconds(250), longest: .seconds(5))
    /// Questions that may be open at once.
    static let limit = 1_024
    /// Questions that are sent and not answered at once: the page service answers `busy` to more of one client. The others wait here.
    static let underWay = 64
    private var entries: [Entry] = []
    private var nextNumber: UInt64 = 1

    var nextDeadline: MonotonicTime { entries.prefix(Self.underWay).map(\.sendAt).min() ?? .distantFuture }

    /// Whether questions have been asked again, so that the connection is in doubt.
    var isInDoubt: Bool { entries.contains { $0.backoff != Self.unrepeated } }

    /// Takes a question; false when too many are open.
    mutating func ask(_ request: PageRequest, for callID: CallID, at now: MonotonicTime) -> Bool {
        guard entries.count < Self.limit else { return false }
        var numbered = request
        numbered.number = nextNumber
        nextNumber += 1
        entries.append(Entry(request: numbered, callID: callID, sendAt: now))
        return true
    }

    /// Who asked; nil for a second answer.
    mutating func finish(_ number: UInt64) -> CallID? {
        guard let index = entries.firstIndex(where: { $0.request.number == number }) else { return nil }
        return entries.remove(at: index).callID
    }

    mutating func abandon(_ callID: CallID) { entries.removeAll { $0.callID == callID } }

    /// The questions that are due now.
    mutating func takeDue(at now: MonotonicTime) -> [PageRequest] {
        var due: [PageRequest] = []
        for index in entries.indices.prefix(Self.underWay) where now >= entries[index].sendAt {
            entries[index].sendAt = now.advanced(by: entries[index].backoff.next())
            due.append(entries[index].request)
        }
        return due
    }

    /// Ends all questions.
    mutating func drain() -> [CallID] {
        defer { entries = [] }
        return entries.map(\.callID)
    }
}
