//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import GantryModel

/// Requests that have no number yet, in order; jobs that may travel together are joined while they wait.
struct RequestQueue: Sendable {
    /// In order; nil stands for one that was withdrawn before it was sent. Neither end is nil.
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
    /// No bound holds it back: it was taken once already, or keeps the session going.
    mutating func prepend(_ content: RequestContent) {
        firstEntry -= 1
        content.note(in: &places, entry: firstEntry)
        waiting.prepend(content)
        byteCount += content.byteCount
    }

    /// Takes jobs, joined to alike ones among the newest that wait; false when the queue is full.
    mutating func append(_ batch: JobBatch) -> Bool {
        guard byteCount + batch.byteCount <= byteLimit else { return false }
        // Among the newest, because programs submit jobs of a few loaders in turn; a longer look would cost each call of a full queue.
        for index in waiting.indices.suffix(8).reversed() {
            guard case .jobs(var earlier) = waiting[index], earlier.isAlike(batch) else { continue }
            // An earlier batch must not take what a later one had no room for, so that alike jobs are accepted in order.
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
        // Behind the look: jobs that join others need no place of their own.
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
    /// - Complexity: O(1) over time, however many wait: a thousand calls are often withdrawn at once.
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

    /// Drops withdrawn entries at both ends.
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

    /// Drops withdrawn entries in the middle; done once it is the greater part, so each drop pays for itself.
    private mutating func compact() {
        let live = waiting.compactMap { $0 }
        (waiting, firstEntry, abandonedCount, byteCount) = ([], 0, 0, 0)
        places.removeAll(keepingCapacity: true)
        for content in live { append(content) }
    }

    /// Empties the queue and returns all waiting calls, in order.
    mutating func drain() -> [CallID] {
        defer { (waiting, firstEntry, abandonedCount, places, byteCount) = ([], 0, 0, [:], 0) }
        return waiting.compactMap { $0 }.flatMap(\.callIDs)
    }
}

/// What a number belongs to: a request or a batch of jobs, and the calls that wait for the answer.
enum RequestContent: Hashable, Sendable {
    /// A request; without call id when the session asks for itself or nobody waits any more.
    case request(RequestBody, CallID?)
    /// Jobs.
    case jobs(JobBatch)

    /// Whether a second run would do something a second time.
    var changesState: Bool {
        switch self {
        case .request(let body, _): body.changesState
        case .jobs: true
        }
    }

    /// The calls that wait for the answer, in order.
    var callIDs: [CallID] {
        switch self {
        case .request(_, let callID): callID.map { [$0] } ?? []
        case .jobs(let batch): batch.owners.compactMap(\.callID)
        }
    }

    /// Bytes of what it carries.
    var byteCount: Int {
        switch self {
        case .request(let body, _): body.byteCount
        case .jobs(let batch): batch.byteCount
        }
    }

    /// Whether nobody waits for the answer.
    var isAbandoned: Bool {
        switch self {
        case .request(_, let callID): callID == nil
        case .jobs(let batch): batch.isAbandoned
        }
    }

    /// Removes that owner's waiting call; a request has one owner, jobs have as many as calls were joined.
    mutating func abandon(owner: Int) {
        switch self {
        case .request(let body, _): self = .request(body, nil)
        case .jobs(var batch):
            self = .takenOut  // Gives up its share of the columns, so that nothing is copied.
            batch.abandon(owner)
            self = .jobs(batch)
        }
    }

    /// Stands where a content was taken out to be changed; never sent.
    static var takenOut: RequestContent { .request(.listFeeds(), nil) }
}

extension RequestContent {
    /// Where a call's share is found, so that withdrawing a call costs the same however many others wait.
    struct Place: Hashable, Sendable {
        /// The entry that holds it, in the numbering of the collection that keeps it.
        var entry: Int
        /// Which of the entry's owners it is.
        var owner: Int
    }

    /// Calls that wait, with their places.
    typealias Places = [CallID: Place]

    /// Notes the place of each call that waits for the answer.
    func note(in places: inout Places, entry: Int) {
        switch self {
        case .request(_, let callID): if let callID { places[callID] = Place(entry: entry, owner: 0) }
        case .jobs(let batch):
            for (index, owner) in batch.owners.enumerated() {
                if let callID = owner.callID { places[callID] = Place(entry: entry, owner: index) }
            }
        }
    }

    /// Removes the places of all calls that wait for the answer.
    func forget(in places: inout Places) {
        switch self {
        case .request(_, let callID): if let callID { places[callID] = nil }
        case .jobs(let batch): for owner in batch.owners { if let callID = owner.callID { places[callID] = nil } }
        }
    }
}
