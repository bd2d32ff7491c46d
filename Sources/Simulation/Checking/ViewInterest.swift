//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What is known of the requests for one view: of each kind the one that was accepted last has to be in effect at the end.
struct ViewInterest {
    /// A part of a view.
    enum Kind {
        case sort
        case filter
        case selection
    }

    /// One part of a view, as asked for.
    enum Part: Hashable {
        case sort(SortOrder?)
        case filter(String)
        case selection(String?)

        var kind: Kind {
            switch self {
            case .sort: .sort
            case .filter: .filter
            case .selection: .selection
            }
        }
    }

    private var accepted: [Kind: (part: Part, place: UInt64)] = [:]
    /// The place among all entries up to which what was accepted is not in effect, for a reason of its own.
    private var givenUp: [Kind: UInt64] = [:]
    /// Requests of which nobody will ever be told what became: each may take effect at any time.
    private var unanswered: Set<Part> = []

    /// A request was accepted; its place among all entries says which one was the last, whenever its client is told.
    mutating func accept(_ part: Part, at place: UInt64) {
        if let last = accepted[part.kind], last.place > place { return }
        accepted[part.kind] = (part, place)
    }

    /// Nobody knows what became of a request.
    mutating func leave(_ part: Part) { unanswered.insert(part) }

    /// What was accepted until now is not in effect any more, or may be not.
    mutating func giveUp(_ kind: Kind, at place: UInt64) { givenUp[kind] = place }

    /// What has to be in effect instead of this; nil: this may be.
    func wanted(insteadOf part: Part) -> Part? {
        guard let last = accepted[part.kind], last.place > givenUp[part.kind, default: 0] else { return nil }
        return last.part == part || unanswered.contains(part) ? nil : last.part
    }
}

extension ViewInterest.Part: CustomStringConvertible {
    var description: String {
        switch self {
        case .sort(let order): "sorted by \(order.map { "\($0.field)\($0.ascending ? "" : " descending")" } ?? "nothing")"
        case .filter(let text): "filtered by \"\(text)\""
        case .selection(let itemID): "at item \(itemID ?? "none")"
        }
    }
}
