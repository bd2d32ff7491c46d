//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Everything that facts change. Entries are applied to it while serving and at restart alike.
struct FrontState {
    var jobs = JobSlab()
    var arena = BlobArena()
    /// Which waiting job is next.
    var scheduler = Scheduler()
    /// Ended jobs, oldest first.
    var history = JobLine()
    /// Failed and quarantined jobs, oldest first: kept longer.
    var failedHistory = JobLine()
    /// Rare properties of jobs.
    var failures: [UInt64: Failure] = [:]
    /// What jobs of `failedHistory` failed with.
    var failureTally = FailureTally()
    var cancels: [UInt64: CancelReceipt] = [:]
    var feedJobs: [UInt64: FeedJobRecord] = [:]

    var sessions: ClientSessions
    var workers = WorkerTable()
    var workerIndexes: [WorkerID: Int] = [:]
    var feeds: [FeedKey: FeedRecord] = [:]
    /// Feeds in order of first use.
    var feedOrder = ArrivalOrder<FeedKey>()
    /// Which feeds name an object.
    var objectNames = ObjectNames()

    var counts = JobCounts()
    var countsTurn: UInt64 = 0
    var nextJob: UInt64 = 1
    var nextLease: UInt64 = 1
    var nextAttachment: UInt64 = 1
    /// Lives of the front that leases of known workers count from, and the present one.
    var lives: [Fact.EpochBegan] = []
    /// Ids below these are covered by a durable reservation (memory mode).
    var reservedJobs: UInt64 = 1
    var reservedLeases: UInt64 = 1
    /// The level of the clock that ranks are made of, in milliseconds: ranks of one priority never go back.
    var lastRankTime: Int64 = 0
    /// Bytes beside the records of jobs and views: what admission and the history are bounded by.
    var bytes = StoredBytes()
    /// Views of all feeds.
    var viewCount = 0

    /// Names of loaders that are in use.
    var loaderNames = LoaderNames()
    /// Who asked for jobs that are known, and how they are run.
    var jobTerms = Interner(blank: JobTerms())

    init(requestWindow: UInt64 = Bounds().requestWindow) { sessions = ClientSessions(requestWindow: requestWindow) }

    /// Bytes of blobs that one call moves, about.
    private static let movedByteCount = 1 << 20
    /// Bytes that are moved in a microsecond or less, as a step is.
    private static let stepByteCount = 4_096

    /// Moves the blobs of some jobs together while much of their memory is dead, from one job on; `next` is where to go on.
    /// - Parameter count: How many jobs are looked at, or a chunk more.
    /// - Returns: what it has cost in steps: one for each job and for each page of bytes.
    mutating func compactBlobs(from next: inout UInt64, lookingAt count: Int) -> Int {
        var (looked, moved) = (0, 0)
        while arena.isSparse, looked < count, moved < Self.movedByteCount {
            let (ids, following) = jobs.ids(from: next, chunkLimit: 1)
            next = following ?? 0
            looked += 1
            for id in ids {
                guard moved < Self.movedByteCount else {
                    next = id
                    break
                }
                let blob = arena.moved(jobs[id].blob)
                if blob.chunk != jobs[id].blob.chunk { moved += Int(blob.byteCount) }
                jobs[id].blob = blob
                looked += 1
            }
            // The next call begins at the first job again.
            if next == 0 { break }
        }
        return looked + moved / Self.stepByteCount
    }

    /// Tells the scheduler of the room of every worker that has changed, and of the end of changes to its lines.
    mutating func noteRooms() {
        scheduler.settle(in: jobs)
        while let index = workers.takeTouched() {
            if let room = workers[index]?.room(in: jobs) { scheduler.setRoom(of: index, to: room) }
        }
    }

    /// The job's argument, or its result once it has ended.
    func bytes(of job: JobRecord) -> [UInt8] {
        Array(arena[job.blob])
    }
}
