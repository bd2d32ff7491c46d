//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// A version of a user's list that turned out damaged: its file is spared for a day, so that somebody can look whether it can be saved.
extension DamagedVersion {
    /// How long it is spared: a night and a working day.
    private static let sparedFor = Duration.seconds(86_400)

    /// When it is spared no more, by the wall clock.
    var until: WallTime { foundAt.advanced(by: Self.sparedFor) }

    /// Whether its file is spared still.
    func isNamed(at now: WallTime) -> Bool { now < until }
}

extension FeedRecord {
    /// Versions of a kept content that are kept beside the newest.
    private static let olderLimit = 2
    /// Damaged versions that are remembered.
    private static let damagedLimit = 8

    /// Its content and those before it, as far as they are kept.
    var persistentVersions: [FeedContent] { older + (state.content.map { $0.isPersistent ? [$0] : [] } ?? []) }

    /// What is kept beside the content of `next` once that takes the place of this one: this one too, unless it turned out damaged. A reset
    /// forgets them all.
    func older(before next: FeedState, _ damaged: [DamagedVersion]) -> [FeedContent] {
        guard let content = next.content, content.isPersistent else { return [] }
        var older = older
        if let last = state.content, last.isPersistent, last.object != content.object { older.append(last) }
        older.removeAll { old in old.object == content.object || damaged.contains { $0.object == old.object.digest } }
        older.removeFirst(max(0, older.count - Self.olderLimit))
        return older
    }

    /// The versions that are known as damaged once it is as `next` says.
    /// - Parameter found: The one that was found just now.
    func damaged(before next: FeedState, _ found: DamagedVersion?) -> [DamagedVersion] {
        // What can be loaded again is only missed for as long as the feed says so, and its file is nobody's.
        guard next.isEditable else {
            return found.map { [$0] } ?? (next.content == nil && next.failure == state.failure ? damaged : [])
        }
        guard let found else { return damaged }
        var damaged = damaged
        damaged.removeAll { $0.object == found.object || !$0.isNamed(at: found.foundAt) }
        damaged.append(found)
        damaged.removeFirst(max(0, damaged.count - Self.damagedLimit))
        return damaged
    }

    /// Whether its content is missed since it turned out damaged: who attaches loads it again.
    var isMissed: Bool { state.content == nil && state.activity == .idle && state.failure?.code == .storageFailed && !damaged.isEmpty }

    /// Damaged versions whose files are spared.
    func sparedVersions(at now: WallTime) -> [DamagedVersion] { state.isEditable ? damaged.filter { $0.isNamed(at: now) } : [] }
}

extension Failure {
    /// The failure of a feed whose content turned out damaged.
    init(id: FailureID, _ damaged: DamagedVersion, text: String, retryable: Bool) {
        let arguments = [Failure.damagedArgument, damaged.object.description, "foundAt", String(damaged.foundAt.milliseconds)]
        self.init(id: id, code: .storageFailed, text: text, arguments: arguments, retryable: retryable)
    }
}
