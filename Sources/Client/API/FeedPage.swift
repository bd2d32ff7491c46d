//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// Items of a feed as a view shows them.
public struct FeedPage: Hashable, Sendable {
    /// The feed, with the defaults of its parameters filled in.
    public var feed: FeedKey
    /// Each item as JSON text, in the view's order.
    public var items: [[UInt8]]
    /// The first item's position.
    public var offset: UInt64
    /// How many items the view has in all.
    public var itemCount: UInt64
    /// What the page was read by.
    public var revision: ViewRevision
    /// The view that named it.
    public var view: ViewState
}
