//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Who may open another session when all places are taken.
///
/// On a Unix socket all connections look alike, so one client with many of them could take every place. What it can be told by is that it
/// holds many and uses few: one that was never used gives its place to a connection that has fewer. One that has asked for anything stays.
extension FrontMachine {
    /// Sessions that are looked at for one hello; the next hello goes on behind them, so none costs more though thousands are refused.
    private static var sessionsLookedAt: Int { 64 }

    /// Ends a session that has asked for nothing, so that a connection with fewer may open one; false: none was found.
    mutating func makePlace(forSessionOf peer: PeerID) -> Bool {
        let count = min(Self.sessionsLookedAt, state.sessionOrder.placeCount)
        guard count > 0 else { return false }
        turn.step(count)
        let begin = sessionCursor % state.sessionOrder.placeCount
        sessionCursor = count < state.sessionOrder.placeCount ? begin + count : begin
        let own = connections[peer]?.count ?? 0
        let shown = sessionClock.reading(at: turn.now.monotonic)
        var found: SessionID?
        for place in begin..<begin + count {
            guard let id = state.sessionOrder.key(at: place % state.sessionOrder.placeCount),
                let session = state.sessions[id.rawValue], session.isUnused
            else { continue }
            if session.peer == .none {
                // Whose connection has just broken is about to come back.
                guard shown >= session.heardAt.adding(milliseconds: turn.settings.attachmentMilliseconds) else { continue }
                found = id
                break
            }
            if found == nil, connections[session.peer]?.count ?? 0 > own + 1 { found = id }
        }
        guard let found else { return false }
        endSession(found)
        return true
    }
}

extension SessionRecord {
    /// Whether nothing was ever asked in it, as far as this life of the front and the journal know: nobody misses it.
    var isUnused: Bool { highestNumber == 0 && lowestUnanswered <= 1 && replies.isEmpty && attachments.isEmpty }
}
