//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension Reply {
    /// About so many bytes in memory and in a frame: what replies under way are bounded by.
    var roughByteCount: Int {
        switch self {
        case .accepted, .jobsAccepted, .done, .cancelling, .alreadyEnded: 64
        case .refused(let failure, _): 128 + failure.text.utf8.count + failure.arguments.reduce(0) { $0 + 16 + $1.utf8.count }
        case .jobs(let jobs, _): jobs.reduce(64) { $0 + $1.roughByteCount }
        case .explanation(let explanation):
            explanation.story.reduce(64 + explanation.job.roughByteCount) { $0 + 16 + $1.utf8.count }
        case .feeds(let feeds, _):
            feeds.reduce(64) { $0 + 256 + $1.key.text.utf8.count + ($1.failure?.text.utf8.count ?? 0) }
        }
    }
}

extension JobSummary {
    /// About so many bytes in a frame.
    var roughByteCount: Int { 128 + askedBy.utf8.count + (failure?.text.utf8.count ?? 0) + result.count }
}
