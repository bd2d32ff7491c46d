//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import Model

/// Requests that have no number yet, in order; jobs that may travel together are joined while they wait.
struct RequestQueue: Sendable {
    /// In order; nil stands for one that was given up before it was sent. Neither end is nil.
    private var waiting: Deque<RequestContent?> = []
    /// The number of the first entry: it sinks when something goes out before all others, and grows as they go out.
    private var firstEntry = 0
    private var abandonedCount = 0
    private var places: RequestContent.Places = [:]
    /// Bytes of what all of them carry.
    private(set) var byteCount = 0
    let limit: Int
    let byteLimit: Int
    let batchLimit: Int
    var batchByteLimit: Int

    init(_ settings: SessionSettings) {
        limit = settings.queueLimit
        byteLimit = settings.queueByteLimit
        batchLimit = settings.batchLimit
        batchByteLimit = settings.batchByteLimit
    }

    var isEmpty: Bool { waiting.isEmpty }

    /// How many wait.
    var count: Int { waiting.count - abandonedCount }

    /// Takes a request; false when the queue is full.
    mutating func append(_ body: RequestBody, for callID: CallID?) -> Bool {
        guard count < limit, byteCount + body.byteCount <= byteLimit else { return false }
        append(.request(body, callID))
        return true
    }

    /// Takes a request that goes out before all others: one that was sent already in an earlier session, or of the session itself.
    mutating func prepend(_ content: RequestContent) {
        firstEntry -= 1
        content.note(in: &places, entry: firstEntry)
        waiting.prepend(content)
        byteCount += content.byteCount
    }

    /// Takes jobs, joined to alike ones among the newest that wait; false when the queue is full.
    mutating func append(_ batch: JobBatch) -> Bool {
        guard byteCount + batch.byteCount <= byteLimit else { return false }
        for index in waiting.indices.suffix(8).reversed() {
            guard case .jobs(var earlier) = waiting[index], earlier.isAlike(batch) else { continue }
            guard earlier.arguments.count + batch.arguments.count <= batchLimit,
                earlier.byteCount + batch.byteCount <= batchByteLimit
            else { break }
            waiting[index] = .takenOut  // Gives up its share of the columns, so that joining does not copy them.
            for (offset, owner) in batch.owners.enumerated() {
                guard let callID = owner.callID else { continue }
                places[callID] = RequestContent.Place(entry: firstEntry + index, owner: earlier.owners.count + offset)
            }
            byteCount -= earlier.byteCount
            earlier.join(batch)
            byteCount += earlier.byteCount
            waiting[index] = .jobs(earlier)
            return true
        }
        guard count < limit else { return false }
        append(.jobs(batch))
        return true
    }

    private mutating func append(_ content: RequestContent) {
        content.note(in: &places, entry: firstEntry + waiting.count)
        waiting.append(content)
        byteCount += content.byteCount
    }

    /// Gives the next one that gets a number, without jobs that nobody waits for any more.
    mutating func popFirst() -> RequestContent? {
        guard let first = waiting.popFirst(), let content = first else { return nil }
        firstEntry += 1
        trim()
        content.forget(in: &places)
        byteCount -= content.byteCount
        guard case .jobs(let batch) = content else { return content }
        return .jobs(batch.withoutAbandoned())
    }

    /// Forgets a call: what it asks for is not sent at all, nor is its share of joined jobs. False: it does not wait here.
    ///
    /// - Complexity: O(1) over time, however many wait: a thousand calls are often given up at once.
    @discardableResult
    mutating func abandon(_ callID: CallID) -> Bool {
        guard let place = places.removeValue(forKey: callID) else { return false }
        let index = place.entry - firstEntry
        waiting[index]?.abandon(owner: place.owner)
        guard let content = waiting[index], content.isAbandoned else { return true }
        byteCount -= content.byteCount
        waiting[index] = nil
        abandonedCount += 1
        trim()
        if abandonedCount > waiting.count / 2 { compact() }
        return true
    }

    /// Drops what was given up at both ends.
    private mutating func trim() {
        while let first = waiting.first, first == nil {
            waiting.removeFirst()
            firstEntry += 1
            abandonedCount -= 1
        }
        while let last = waiting.last, last == nil {
            waiting.removeLast()
            abandonedCount -= 1
        }
    }

    /// Drops what was given up in the middle; done once it is the greater part, so each drop pays for itself.
    private mutating func compact() {
        let live = waiting.compactMap { $0 }
        (waiting, firstEntry, abandonedCount, byteCount) = ([], 0, 0, 0)
        places.removeAll(keepingCapacity: true)
        for content in live { append(content) }
    }

    /// Empties the queue and names everybody who waited, in order.
    mutating func drain() -> [CallID] {
        defer { (waiting, firstEntry, abandonedCount, places, byteCount) = ([], 0, 0, [:], 0) }
        return waiting.compactMap { $0 }.flatMap(\.callIDs)
    }
}
