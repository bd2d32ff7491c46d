//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// A version of a user's list that turned out damaged: its file is spared for a day, so that somebody can look whether it can be saved.
struct DamagedVersion: Hashable {
    /// The list.
    let object: ObjectDigest
    /// When it was found damaged.
    let foundAt: WallTime

    /// How long it is spared: a night and a working day.
    private static let milliseconds: Int64 = 24 * 3_600_000

    /// Whether its file is spared still.
    func isNamed(at now: WallTime) -> Bool { now.milliseconds < foundAt.milliseconds + Self.milliseconds }
}

extension FeedRecord {
    /// Versions of a kept content that are kept beside the newest.
    private static let olderLimit = 2
    /// Damaged versions that are remembered.
    private static let damagedLimit = 8

    /// Its content and those before it, as far as they are kept.
    var keptVersions: [FeedContent] { older + (state.content.map { $0.isKept ? [$0] : [] } ?? []) }

    /// Notes the content that `next` replaces, unless it is the one that turned out damaged. A reset forgets them all.
    mutating func keepOlder(before next: FeedState) {
        noteDamage(next)
        guard let content = next.content, content.isKept else {
            older = []
            return
        }
        if let last = state.content, last.isKept, last.object != content.object { older.append(last) }
        older.removeAll { old in old.object == content.object || damaged.contains { $0.object == old.object.digest } }
        older.removeFirst(max(0, older.count - Self.olderLimit))
    }

    private mutating func noteDamage(_ next: FeedState) {
        guard next.isEditable, let failure = next.failure, let found = failure.damagedVersion else { return }
        guard !damaged.contains(found) else { return }
        damaged.removeAll { $0.object == found.object || !$0.isNamed(at: found.foundAt) }
        damaged.append(found)
        damaged.removeFirst(max(0, damaged.count - Self.damagedLimit))
    }
}

extension Failure {
    private static let damagedObjectName = "damagedObject"
    private static let foundAtName = "foundAt"

    /// The failure of a feed whose content turned out damaged.
    init(id: FailureID, damaged object: ObjectDigest, at time: WallTime, text: String, retryable: Bool) {
        let arguments = [Self.damagedObjectName, object.description, Self.foundAtName, String(time.milliseconds)]
        self.init(id: id, code: .storageFailed, text: text, arguments: arguments, retryable: retryable)
    }

    /// The version whose damage this failure tells of.
    var damagedVersion: DamagedVersion? {
        guard code == .storageFailed, arguments.count == 4, arguments[0] == Self.damagedObjectName, arguments[2] == Self.foundAtName,
            let object = ObjectDigest(hex: arguments[1]), let foundAt = Int64(arguments[3])
        else { return nil }
        return DamagedVersion(object: object, foundAt: WallTime(milliseconds: foundAt))
    }
}
