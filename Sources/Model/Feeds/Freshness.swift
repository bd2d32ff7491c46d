//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// How old a feed's content is by the front's wall clock. Only the front turns it.
public enum Freshness: UInt8, Hashable, Sendable {
    /// Younger than its policy asks.
    case fresh = 0
    /// Older than the policy asks, still shown.
    case stale = 1
    /// Too old to be shown as data.
    case expired = 2

    /// The word that terminal, JSON and page show.
    public var name: String {
        switch self {
        case .fresh: "fresh"
        case .stale: "stale"
        case .expired: "expired"
        }
    }
}
