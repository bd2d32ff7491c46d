//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import Model

/// Requests that have no number yet, in order; jobs that may travel together are joined while they wait.
struct RequestQueue: Sendable {
    private var waiting: Deque<RequestContent> = []
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

    /// Takes a request; false when the queue is full.
    mutating func append(_ body: RequestBody, for ticket: Ticket?) -> Bool {
        guard waiting.count < limit else { return false }
        waiting.append(.request(body, ticket))
        return true
    }

    /// Takes a request that goes out before all others: one that was sent already in an earlier session, or of the session itself.
    mutating func prepend(_ content: RequestContent) { waiting.prepend(content) }

    /// Takes jobs, joined to alike ones among the newest that wait; false when the queue is full.
    mutating func append(_ batch: JobBatch) -> Bool {
        guard byteCount + batch.arguments.count <= byteLimit else { return false }
        for index in waiting.indices.suffix(8).reversed() {
            guard case .jobs(var earlier) = waiting[index], earlier.isAlike(batch) else { continue }
            guard earlier.lengths.count + batch.lengths.count <= batchLimit,
                earlier.arguments.count + batch.arguments.count <= batchByteLimit
            else { break }
            waiting[index] = .request(.listFeeds(), nil)  // Gives up its share of the columns, so that joining does not copy them.
            earlier.join(batch)
            waiting[index] = .jobs(earlier)
            byteCount += batch.arguments.count
            return true
        }
        guard waiting.count < limit else { return false }
        waiting.append(.jobs(batch))
        byteCount += batch.arguments.count
        return true
    }

    /// Gives the next one that gets a number.
    mutating func popFirst() -> RequestContent? {
        guard let first = waiting.popFirst() else { return nil }
        if case .jobs(let batch) = first { byteCount -= batch.arguments.count }
        return first
    }

    /// Forgets a call; a request that was never sent is not sent at all. Its share of joined jobs is: they may not be told apart any more.
    mutating func abandon(_ ticket: Ticket) {
        for index in waiting.indices.reversed() where waiting[index].tickets.contains(ticket) {
            waiting[index].abandon(ticket)
            guard waiting[index].isAbandoned else { continue }
            if case .jobs(let batch) = waiting[index] { byteCount -= batch.arguments.count }
            waiting.remove(at: index)
        }
    }

    /// Empties the queue and names everybody who waited, in order.
    mutating func drain() -> [Ticket] {
        defer { (waiting, byteCount) = ([], 0) }
        return waiting.flatMap(\.tickets)
    }
}
