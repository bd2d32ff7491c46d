//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What a feed's job does.
public enum FeedOperation: UInt8, Hashable, Sendable {
    /// Fetches the source and makes a list of it.
    case load = 0
    /// Joins a fetched source into the kept list of an editable feed.
    case merge = 1
    /// Appends an item to the kept list.
    case create = 2
    /// Replaces an item of the kept list.
    case update = 3
    /// Makes the order of one view and looks whether its selected item is still there.
    case arrange = 4
    /// Loads the detail of one item.
    case detail = 5

    /// The word that terminal, JSON and page show.
    public var name: String {
        switch self {
        case .load: "load"
        case .merge: "merge"
        case .create: "create"
        case .update: "update"
        case .arrange: "arrange"
        case .detail: "detail"
        }
    }
}
