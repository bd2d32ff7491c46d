//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What a view's pages are read by: a content and an order of it, changed together.
public struct ViewRevision: Hashable, Sendable {
    /// The list.
    public var content: ObjectReference
    /// The permutation of the list; nil: the list's own order.
    public var order: ObjectReference?
    /// The version of the content.
    public var version: ContentVersion
    /// By what the order was made.
    public var sort: SortOrder?
    /// By what the order was filtered; empty: not filtered.
    public var filter: String

    /// Joins a content and an order of it.
    public init(content: ObjectReference, order: ObjectReference?, version: ContentVersion, sort: SortOrder?, filter: String) {
        self.content = content
        self.order = order
        self.version = version
        self.sort = sort
        self.filter = filter
    }

    /// How many items the view has.
    public var itemCount: UInt64 { order?.itemCount ?? content.itemCount }
}
