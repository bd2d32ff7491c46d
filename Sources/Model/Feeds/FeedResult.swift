//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What a feed's job made: references and small facts, never the items.
public struct FeedResult: Hashable, Sendable {
    /// The new list of a load, merge, create or update.
    public var content: ObjectReference?
    /// The order of the view that the work named.
    public var order: ObjectReference?
    /// Whether the selected item that the work named is in the list; true when none was named.
    public var selectionFound: Bool
    /// The id of the created item.
    public var itemID: String?
    /// The detail of an item, JSON text of at most 64 KiB.
    public var detail: [UInt8]
    /// The detail of an item when it is larger.
    public var detailObject: ObjectReference?
    /// Where the content came from.
    public var source: ContentSource

    /// A result that makes nothing yet.
    public init(source: ContentSource = .network) {
        self.selectionFound = true
        self.detail = []
        self.source = source
    }
}
