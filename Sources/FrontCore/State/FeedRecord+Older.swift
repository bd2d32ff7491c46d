//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FeedRecord {
    /// Versions of a kept content that are kept beside the newest.
    private static let olderLimit = 2

    /// Notes the content that `next` replaces, unless it is the one that turned out damaged. A reset forgets them all.
    mutating func keepOlder(before next: FeedState) {
        guard let content = next.content, content.isKept else {
            older = []
            return
        }
        if let last = state.content, last.isKept, last.object != content.object { older.append(last) }
        let damaged = next.failure?.damagedObject
        older.removeAll { $0.object == content.object || $0.object.digest == damaged }
        older.removeFirst(max(0, older.count - Self.olderLimit))
    }
}

extension Failure {
    private static let damagedObjectName = "damagedObject"

    /// The failure of a feed whose content turned out damaged.
    init(id: FailureID, damaged object: ObjectDigest, text: String, retryable: Bool) {
        self.init(
            id: id, code: .storageFailed, text: text, arguments: [Self.damagedObjectName, object.description], retryable: retryable)
    }

    /// The object whose damage this failure tells of.
    var damagedObject: ObjectDigest? {
        guard code == .storageFailed, arguments.count == 2, arguments[0] == Self.damagedObjectName else { return nil }
        return ObjectDigest(hex: arguments[1])
    }
}
