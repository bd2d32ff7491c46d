//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Why a load was started.
public enum LoadCause: UInt8, Hashable, Sendable {
    /// Somebody asked.
    case asked = 0
    /// The feed's first attachment.
    case appeared = 1
    /// A refresh in the background.
    case refresh = 2
    /// A retry of the last failed request.
    case retry = 3
    /// Its content was damaged in the cache.
    case damaged = 4

    /// The word that terminal, JSON and page show.
    public var name: String {
        switch self {
        case .asked: "asked"
        case .appeared: "appeared"
        case .refresh: "refresh"
        case .retry: "retry"
        case .damaged: "damaged"
        }
    }
}
