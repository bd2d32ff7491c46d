//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What stands behind a number: a request or a batch of jobs, and who waits for the answer.
enum RequestContent: Hashable, Sendable {
    /// A request; without ticket when the session asks for itself or nobody waits any more.
    case request(RequestBody, Ticket?)
    /// Jobs.
    case jobs(JobBatch)

    /// Whether a second run would do something a second time.
    var changesState: Bool {
        switch self {
        case .request(let body, _): body.changesState
        case .jobs: true
        }
    }

    /// Everybody who waits for the answer, in order.
    var tickets: [Ticket] {
        switch self {
        case .request(_, let ticket): ticket.map { [$0] } ?? []
        case .jobs(let batch): batch.owners.compactMap(\.ticket)
        }
    }

    /// Whether nobody waits for the answer.
    var isAbandoned: Bool { tickets.isEmpty }

    /// Forgets who waits under that ticket.
    mutating func abandon(_ ticket: Ticket) {
        switch self {
        case .request(let body, ticket): self = .request(body, nil)
        case .request: return
        case .jobs(var batch):
            for index in batch.owners.indices where batch.owners[index].ticket == ticket { batch.owners[index].ticket = nil }
            self = .jobs(batch)
        }
    }
}
