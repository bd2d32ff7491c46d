//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The shared state of a feed: what every observer sees, as one item of the topic `feed/<key>`.
public struct FeedState: Hashable, Sendable {
    /// The feed's address.
    public var key: FeedKey
    /// What there is; nil: nothing yet.
    public var content: FeedContent?
    /// What is being done.
    public var activity: Activity
    /// What went wrong last; nil after a success, a reset and a cancel.
    public var failure: Failure?
    /// Whether items can be created and updated.
    public var isEditable: Bool

    /// A feed that nobody has touched.
    public init(key: FeedKey, isEditable: Bool = false) {
        self.key = key
        self.isEditable = isEditable
        self.activity = .idle
    }
}
