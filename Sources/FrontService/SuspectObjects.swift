//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import Model

/// Objects that a page could not be read of, on their way to being believed damaged.
///
/// One failed read says little: a disk may answer the next time, a folder may be away for a moment, a file may just have been replaced.
/// What is believed damaged is given up (an older version takes its place), so an object is first read again twice, whole and by a handle of
/// its own, with a pause before each. Times are milliseconds of one clock, given by the caller.
struct SuspectObjects {
    private struct Suspect {
        let object: ObjectDigest
        var failedReads: Int
        var readAt: Int64
    }

    /// What a read of the whole object said.
    enum Finding: Hashable {
        /// It is what its name says.
        case whole
        /// It is not, or is not there, or the disk fails at it.
        case failed
        /// It cannot be read now, for want of descriptors or of permission, for example; that says nothing of it.
        case unread
    }

    /// Suspects at most; further ones come again with the next page that is asked for.
    static let limit = 256
    /// Before each read: a second for what passes by itself, three more for a folder that is put back.
    static let pauses: [Int64] = [1_000, 3_000]

    private var suspects: Deque<Suspect> = []

    /// When the next read is due; nil: none is.
    var nextReadAt: Int64? { suspects.map(\.readAt).min() }

    /// Takes an object that a page failed at; one that is suspected already stays as it is.
    mutating func add(_ object: ObjectDigest, at now: Int64) {
        guard suspects.count < Self.limit, !suspects.contains(where: { $0.object == object }) else { return }
        suspects.append(Suspect(object: object, failedReads: 0, readAt: now + Self.pauses[0]))
    }

    /// An object that is to be read now.
    func due(at now: Int64) -> ObjectDigest? { suspects.first { $0.readAt <= now }?.object }

    /// Notes what the read of a due object said; true: it is damaged, and suspected no longer.
    mutating func note(_ finding: Finding, of object: ObjectDigest, at now: Int64) -> Bool {
        guard let index = suspects.firstIndex(where: { $0.object == object }) else { return false }
        switch finding {
        case .whole:
            suspects.remove(at: index)
            return false
        case .unread:
            suspects[index].readAt = now + Self.pauses[suspects[index].failedReads]
            return false
        case .failed:
            suspects[index].failedReads += 1
            guard suspects[index].failedReads < Self.pauses.count else {
                suspects.remove(at: index)
                return true
            }
            suspects[index].readAt = now + Self.pauses[suspects[index].failedReads]
            return false
        }
    }
}
