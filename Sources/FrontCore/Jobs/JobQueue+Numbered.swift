//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension JobQueue {
    /// Why a request that was admitted cannot be run now: the disk is full, or the queue.
    mutating func refusalForNow(of asked: NumberedRequest, in turn: inout FrontTurn) -> Reply? {
        if storageIsFull, asked.needsStorage {
            return .refusal(
                .storageFull, "\(turn.settings.fullDiskText): free some space; nothing accepted is lost", retryAfter: RetryPause.usual)
        }
        return asked.jobs.flatMap { refusalOfJobs($0.count, byteCount: $0.byteCount, in: &turn) }
    }

    /// Answers a request that was admitted: see `ClientSessions.conclude`.
    mutating func conclude(
        _ asked: NumberedRequest, with reply: Reply, feed: FeedKey? = nil, isKept: Bool = false, in turn: inout FrontTurn
    ) {
        turn.state.sessions.conclude(asked, with: reply, feed: feed, isKept: isKept, isDiskFull: storageIsFull, in: &turn.context)
    }
}
