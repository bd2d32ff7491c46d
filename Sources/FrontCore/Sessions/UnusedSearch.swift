//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// The search for a session that has to give its place to a new one.
///
/// Each search looks at some, and the next goes on behind them: so none costs more though thousands are refused, and each session has its turn.
struct UnusedSearch {
    /// What is found of a session.
    enum Finding {
        /// It keeps its place.
        case keeps
        /// It gives its place unless one is found that gives it at once.
        case mayGive
        /// It gives its place, and no other is looked at.
        case gives
    }

    /// Sessions that are looked at for one hello.
    private static var lookedAtOnce: Int { 64 }

    /// The place from which on the next search looks, one behind the last at most.
    private var cursor = 0

    /// How many places a search looks at.
    static func looks(in order: ArrivalOrder<SessionID>) -> Int { min(lookedAtOnce, order.placeCount) }

    /// A session has ended: the next search goes on behind those that were looked at, wherever they stand now.
    mutating func remove(_ id: SessionID, from order: inout ArrivalOrder<SessionID>) { order.remove(id, moving: &cursor) }

    /// The next session that gives its place; nil: none was found.
    mutating func next(in order: ArrivalOrder<SessionID>, _ look: (SessionID) -> Finding) -> SessionID? {
        let count = Self.looks(in: order)
        guard count > 0 else { return nil }
        let begin = cursor % order.placeCount
        // Behind the last one those stand next that come until then.
        if count < order.placeCount { cursor = begin + count > order.placeCount ? begin + count - order.placeCount : begin + count }
        var found: SessionID?
        for place in begin..<begin + count {
            guard let id = order.key(at: place % order.placeCount) else { continue }
            switch look(id) {
            case .keeps: continue
            case .mayGive: found = found ?? id
            case .gives: return id
            }
        }
        return found
    }
}
