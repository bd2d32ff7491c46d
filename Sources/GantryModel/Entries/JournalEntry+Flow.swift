//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What entries hold of limits, pauses and loaders.
extension JournalEntry {
    /// What a limit says from now on.
    package struct LimitChanged: EntryKind {
        package static let survivesMemoryMode = true

        /// Its name.
        package var name: String
        /// What it says; nil: it is no more.
        package var rule: LimitRule?
        /// What the clock of lengths showed, in milliseconds, where it has a rate or had one: up to then tokens came by the old one.
        package var lengthTime: Int64 = 0
        /// What each bucket had then that no entry names, as `TokenLevel` has it.
        package var level: Int64 = 0
        /// Grants under that lease and later ones take tokens; 0: none does.
        package var ratedFrom: UInt64 = 0
        /// What the configuration says of it; nil: it does not name it.
        package var configured: LimitRule?

        /// A limit that says that.
        package init(_ name: String, _ rule: LimitRule?) { (self.name, self.rule) = (name, rule) }
    }

    /// What buckets of limits have from now on.
    package struct TokensChanged: EntryKind {
        package static let survivesMemoryMode = true

        /// One for each bucket.
        package var levels: [TokenLevel]

        /// Buckets that have that.
        package init(_ levels: [TokenLevel]) { self.levels = levels }

        package var roughByteCount: Int {
            levels.reduce(RoughSize.message) { $0 + $1.key.limit.utf8.count + $1.key.value.utf8.count + 3 * RoughSize.number }
        }
    }

    /// What one bucket had at a time.
    package struct TokenLevel: Hashable, Sendable {
        /// The limit, with the value that the bucket is of.
        package var key: LimitKey
        /// In shares of a token, of which the period of the rate has one for each millisecond.
        package var level: Int64
        /// What the clock of lengths showed then, in milliseconds.
        package var lengthTime: Int64

        /// A bucket that had that.
        package init(_ key: LimitKey, level: Int64, lengthTime: Int64) {
            (self.key, self.level, self.lengthTime) = (key, level, lengthTime)
        }
    }

    /// A loader, a group, or all loaders, or a worker is paused, or is no longer.
    package struct PauseChanged: EntryKind {
        package static let survivesMemoryMode = true

        /// Whose jobs wait, or who gets none.
        package var target: PauseTarget
        /// The pause; nil: it has ended.
        package var pause: LastingPause?
        /// What the clock of lengths showed, in milliseconds.
        package var lengthTime: Int64

        /// A target with that pause.
        package init(_ target: PauseTarget, _ pause: LastingPause?, lengthTime: Int64 = 0) {
            (self.target, self.pause, self.lengthTime) = (target, pause, lengthTime)
        }

        package var roughByteCount: Int { RoughSize.wide + target.key.utf8.count + (pause?.byteCount ?? 0) }
    }

    /// A pause as it is kept.
    package struct LastingPause: Hashable, Sendable {
        /// The label of the client that asked for it.
        package var by: String
        /// Why.
        package var reason: String
        /// Since when.
        package var since: WallTime
        /// When it ends, by the clock of lengths in milliseconds; nil: when somebody ends it.
        package var until: Int64?
        /// Of a group: who is in it, as it was when it was paused or a front began with another configuration. A replay knows no configuration.
        package var members: GroupMembers

        /// A pause by that client.
        package init(by label: String, reason: String, since: WallTime, until: Int64? = nil, members: GroupMembers = GroupMembers()) {
            (by, self.reason, self.since, self.until, self.members) = (label, reason, since, until, members)
        }

        /// Bytes of the texts in it.
        package var byteCount: Int { by.utf8.count + reason.utf8.count + members.byteCount }
    }

    /// Workers have offered loaders up to a time.
    package struct LoadersOffered: EntryKind {
        package static let survivesMemoryMode = true

        /// Each takes the place of what was known of it.
        package var loaders: [OfferedLoader]
        /// Loaders that others took the places of.
        package var forgotten: [String]

        /// Loaders that were offered at those times.
        package init(_ loaders: [OfferedLoader], forgotten: [String] = []) { (self.loaders, self.forgotten) = (loaders, forgotten) }

        package var roughByteCount: Int {
            let names = loaders.map(\.name) + forgotten
            return names.reduce(RoughSize.message) { $0 + $1.utf8.count + 2 * RoughSize.number }
        }
    }

    /// A loader that some worker has offered.
    package struct OfferedLoader: Hashable, Sendable {
        /// Its name.
        package var name: String
        /// When it was offered last.
        package var at: WallTime

        /// A loader that was offered at that time.
        package init(_ name: String, at time: WallTime) { (self.name, at) = (name, time) }
    }
}
