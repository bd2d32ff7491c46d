//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What has a deadline.
enum DeadlineOwner: DeadlineHolder {
    /// A worker that is to be told which of its reports are settled.
    case reports(worker: Int)
    /// A worker whose lease ends.
    case lease(worker: Int)
    /// A session whose attachments lapse, or that ends.
    case session(SessionID)
    /// A feed whose load ends unless somebody attaches again.
    case load(FeedKey)
    /// A view that nobody uses.
    case view(FeedKey, String)
    /// The counts of `jobs`, which are published now and then.
    case counts
    /// The end of the time in which nothing is granted.
    case grants
    /// Ended jobs that are forgotten for their age.
    case endedJobs
    /// Questions for ended jobs that were read, of which more can be answered than one turn may.
    case readings
    /// Work of which earlier turns, or lives, have left some.
    case work
    /// A feed with damaged versions that are kept for a day.
    case damaged(FeedKey)
    /// Feeds that wait, of which more may have another reason than one turn looks at.
    case waits

    /// What is looked at together, in this order.
    enum Kind: Int, CaseIterable, Sendable {
        case reports
        case lease
        case session
        case load
        case view
        case counts
        case grants
        case endedJobs
        case readings
        case work
        case damaged
        case waits
    }

    /// The kind it is of.
    var kind: Kind {
        switch self {
        case .reports: .reports
        case .lease: .lease
        case .session: .session
        case .load: .load
        case .view: .view
        case .counts: .counts
        case .grants: .grants
        case .endedJobs: .endedJobs
        case .readings: .readings
        case .work: .work
        case .damaged: .damaged
        case .waits: .waits
        }
    }

    private var number: UInt64 {
        switch self {
        case .reports(let worker), .lease(let worker): UInt64(worker)
        case .session(let id): id.rawValue
        case .load, .view, .counts, .grants, .endedJobs, .readings, .work, .damaged, .waits: 0
        }
    }

    private var name: (key: String, view: String) {
        switch self {
        case .load(let key), .damaged(let key): (key.text, "")
        case .view(let key, let view): (key.text, view)
        case .reports, .lease, .session, .counts, .grants, .endedJobs, .readings, .work, .waits: ("", "")
        }
    }
}

extension DeadlineOwner {
    /// Deadlines at the same instant go by kind, then by the owner's number or name: never by the order of a table.
    static func < (left: Self, right: Self) -> Bool {
        if left.kind != right.kind { return left.kind.rawValue < right.kind.rawValue }
        return left.number != right.number ? left.number < right.number : left.name < right.name
    }
}
