//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Every bound of the front, named; what is answered at each is in the documentation's table.
public struct Bounds: Hashable, Sendable {
    /// Open sessions; beyond it one that has asked for nothing gives its place to a connection that has fewer, or `hello` is refused with `busy`.
    public var sessions = 5_000
    /// Sessions that one connection speaks for; beyond it `hello` is refused with `busy`, so that one client cannot take all.
    public var sessionsPerConnection = 64
    /// Known workers, 65,535 at most; beyond it `register` is refused.
    public var workers = 256
    /// Waiting jobs; beyond it a submit is refused with `busy`.
    public var queuedJobs = 2_000_000
    /// Bytes of what jobs that have not ended carry, and of the names of clients; beyond it whatever makes a job is refused with `busy`.
    public var queuedByteCount = 256 << 20
    /// Bytes of one argument or inline result; beyond it `tooLarge`.
    public var payloadByteCount = MessageBounds.payloadByteCount
    /// Unanswered requests of one session; beyond it the request is refused with `busy`.
    public var requestWindow = UInt64(MessageBounds.requestWindow)
    /// Bytes of replies to changes, about, that a session has not confirmed; beyond it a change is refused with `busy`.
    public var keptByteCount = 1 << 20
    /// Bytes of them of all sessions together; beyond it each may have `sparedByteCount`, so that none is shut out by others.
    public var allKeptByteCount = 64 << 20
    /// What a session may have of them however many there are.
    public var sparedByteCount = 8_192
    /// Replies to reading requests that a session has not confirmed; beyond it such a request is refused with `busy`.
    public var readingRequests = 64
    /// Bytes of those replies, about; beyond it likewise.
    public var readingByteCount = 4 << 20
    /// Outcomes of one message to a client; the rest goes into a next one.
    public var answerRows = MessageBounds.rowCount
    /// Bytes of results with which one question for outcomes is answered; the rest is left out, and asked for again.
    public var answerByteCount = 4 << 20
    /// About so many bytes of jobs or feeds in one page of them, at most half of the client's largest frame; the rest is on the next one.
    public var pageByteCount = 256 * 1_024
    /// Different loaders that jobs name, and as many again that a worker offers; beyond it a submit is refused with `busy`.
    public var loaderNames = 1_000
    /// Loaders that one worker offers; beyond it `register` is refused.
    public var loadersPerWorker = 64
    /// Live feeds; beyond it the longest idle is forgotten, or the request is refused with `busy`.
    public var feeds = 10_000
    /// Views of one feed; beyond it the request is refused with `busy`.
    public var viewsPerFeed = 64
    /// Views of all feeds; beyond it the request is refused with `busy`.
    public var views = 20_000
    /// How long a view other than `shared` is kept after its last attachment or request.
    public var viewMilliseconds: Int64 = 24 * 3_600_000
    /// Bytes of details in views; beyond it a detail fails with `busy`.
    public var detailByteCount = 256 << 20
    /// Bytes of an item's id; beyond it `tooLarge`.
    public var itemIDByteCount = MessageBounds.itemIDByteCount
    /// Ended jobs that are kept; the oldest go first.
    public var endedJobs = 100_000
    /// Bytes of results that are kept, and as many again of failures with the items of failed saves; the oldest go first.
    public var endedByteCount = 256 << 20
    /// Ended jobs of one bundle beside the journal.
    public var bundleJobs = 512
    /// Bytes of one bundle, about: it ends with the job that brings it there.
    public var bundleByteCount = 256 << 10
    /// Questions that wait for ended jobs to be read; beyond it the request is refused with `busy`.
    public var endedReadings = 4_096
    /// How long ended jobs are kept.
    public var endedMilliseconds: Int64 = 24 * 3_600_000
    /// How long failed and quarantined jobs are kept.
    public var failedMilliseconds: Int64 = 7 * 24 * 3_600_000
    /// Running jobs that the topic `jobs` lists one by one.
    public var listedJobs = 200
    /// Bytes of one grant message as it is sent; the rest goes into a next one.
    public var grantByteCount = 512 * 1_024
    /// Leases that a worker may hold when it registers; beyond it `register` is refused, as its answer would not fit a frame.
    public var heldLeases = 32_768
    /// Jobs of one grant message.
    public var grantJobs = 4_096

    /// The defaults.
    public init() {}
}
