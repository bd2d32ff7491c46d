//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension JobSummary {
    /// What a job's record says to observers, wherever it is kept; what comes from elsewhere is added: the worker that holds it, why it waits.
    /// - Parameters:
    ///   - feedJob: What it is for its feed; nil: it is no feed's.
    ///   - result: What it has made, asked for if it has.
    init(
        _ record: JobRecord, loader: String, terms: JobTerms, feedJob: JournalEntry.FeedJob?, failure: Failure?, cancel: CancelReceipt?,
        result: @autoclosure () -> [UInt8]
    ) {
        self.init(id: JobID(record.id), loader: loader, state: record.state, acceptedAt: WallTime(milliseconds: record.acceptedAt))
        (feed, operation) = (feedJob?.key, feedJob?.operation)
        (askedBy, options) = (terms.client, terms.options)
        (attempts, crashCount) = (record.attempts, UInt32(record.crashCount))
        self.cancel = cancel
        guard record.state.isFinal else { return }
        endedAt = WallTime(milliseconds: record.changedAt)
        if record.state == .succeeded { self.result = result() }
        self.failure = failure
    }
}
