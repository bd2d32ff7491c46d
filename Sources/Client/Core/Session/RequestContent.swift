//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What stands behind a number: a request or a batch of jobs, and who waits for the answer.
enum RequestContent: Hashable, Sendable {
    /// A request; without ticket when the session asks for itself or nobody waits any more.
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

    /// Everybody who waits for the answer, in order.
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

    /// Forgets who waits as that owner; a request has one owner, jobs have as many as calls were joined.
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
    /// Where a call's share is found, so that a call that is given up costs the same whatever else waits.
    struct Place: Hashable, Sendable {
        /// The entry that holds it, in the numbering of the collection that keeps it.
        var entry: Int
        /// Which of the entry's owners it is.
        var owner: Int
    }

    /// Calls that wait, with their places.
    typealias Places = [CallID: Place]

    /// Notes the place of everybody who waits for the answer.
    func note(in places: inout Places, entry: Int) {
        switch self {
        case .request(_, let callID): if let callID { places[callID] = Place(entry: entry, owner: 0) }
        case .jobs(let batch):
            for (index, owner) in batch.owners.enumerated() {
                if let callID = owner.callID { places[callID] = Place(entry: entry, owner: index) }
            }
        }
    }

    /// Takes the places of everybody who waits for the answer away.
    func forget(in places: inout Places) {
        switch self {
        case .request(_, let callID): if let callID { places[callID] = nil }
        case .jobs(let batch): for owner in batch.owners { if let callID = owner.callID { places[callID] = nil } }
        }
    }
}
