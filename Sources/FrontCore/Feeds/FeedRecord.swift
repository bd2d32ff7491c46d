//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// A feed: its shared state, its views, and who uses them.
struct FeedRecord {
    var state: FeedState
    /// Kept contents before this one, oldest first: what is gone back to when the newest is damaged.
    var older: [FeedContent] = []
    /// Versions that turned out damaged, oldest first.
    var damaged: [DamagedVersion] = []
    /// Whether some session asked for it with `load`: it then goes on without attachments.
    var isAskedFor = false
    var views: [String: ViewState] = [:]
    /// Views in the order in which they came, so that no hash order reaches an action.
    var viewNames: [String] = []
    /// The newest job there was when the selection of each view was asked for.
    var selectedAfter: [String: JobID] = [:]
    /// The turn at which a checkpoint stored it.
    var storedTurn: UInt64 = 0

    // What follows is not durable.

    /// How many sessions are attached to each view.
    private(set) var attachedViews: [String: Int] = [:] {
        didSet { attachmentCount = attachedViews.values.reduce(0, +) }
    }
    /// The same over all views.
    private(set) var attachmentCount = 0
    /// When a load that nobody asked for ends because nobody is attached.
    private(set) var lingerUntil: MonotonicTime?
    /// When somebody last named a view or was seen attached to it.
    var viewUsedAt: [String: MonotonicTime] = [:]
    /// When somebody last did something with it.
    private(set) var usedAt = MonotonicTime(nanoseconds: 0)
    /// Version of the next content.
    var nextVersion: UInt64 = 1

    init(state: FeedState) { self.state = state }

    /// A session is attached to a view.
    mutating func attach(to view: String) { attachedViews[view, default: 0] += 1 }

    /// Nobody is attached any more, and a load that nobody asked for ends then; nil: somebody is.
    mutating func linger(until time: MonotonicTime?) { lingerUntil = time }

    /// Somebody has done something with it.
    mutating func noteUse(at time: MonotonicTime) { usedAt = time }

    /// Whether nobody is attached, no view is worked for, and what it has can be loaded again.
    var isForgettable: Bool { attachmentCount == 0 && !state.isEditable && !views.values.contains { $0.isWorkedFor } }

    /// A session is attached to a view no longer.
    mutating func removeAttachment(to view: String) {
        guard let count = attachedViews[view] else { return }
        attachedViews[view] = count > 1 ? count - 1 : nil
    }
}
