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
    /// Its views, of which each also knows who uses it.
    var views = FeedViews()
    /// The turn at which a checkpoint stored it.
    var storedTurn: UInt64 = 0

    // What follows is not durable.

    /// When a load that nobody asked for ends because nobody is attached.
    private(set) var lingerUntil: MonotonicTime?
    /// When somebody last did something with it.
    private(set) var usedAt = MonotonicTime(nanoseconds: 0)
    /// Version of the next content.
    var nextVersion: UInt64 = 1

    init(state: FeedState) { self.state = state }

    /// Its views in the order in which they came.
    var viewNames: [String] { views.names }

    /// How many sessions are attached to its views.
    var attachmentCount: Int { views.attachmentCount }

    /// Nobody is attached any more, and a load that nobody asked for ends then; nil: somebody is.
    mutating func linger(until time: MonotonicTime?) { lingerUntil = time }

    /// Somebody has done something with it.
    mutating func noteUse(at time: MonotonicTime) { usedAt = time }

    /// Whether nobody is attached, no view is worked for, and what it has can be loaded again.
    var isForgettable: Bool { attachmentCount == 0 && !state.isEditable && !views.states.contains { $0.isWorkedFor } }
}
