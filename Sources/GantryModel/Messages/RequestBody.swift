//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What a request asks. Those that change something name their target by id and, where it matters, the version they saw.
package enum RequestBody: Hashable, Sendable {
    /// Asks something of a feed, by its key as the client named it.
    case feed(FeedKey, FeedRequest)
    /// Asks something of jobs.
    case job(JobRequest)
    /// Lists the feeds by key, those after the given one; nil: from the first.
    case listFeeds(after: FeedKey? = nil)
    /// Asks that a worker take no new jobs and end with its last one.
    case drainWorker(WorkerID)
    /// Asks something of the limits.
    case limit(LimitRequest)
    /// Begins or ends a pause.
    case pause(PauseRequest)
    /// A kind that this version does not know: refused by name.
    case unknown
    /// A request that names something which cannot be: refused by its reply.
    case unreadable(CodecError)
}

// MARK: What carrying it out does

extension RequestBody {
    /// What carrying out a request does. All code that classifies requests uses this, so a new one is classified in one place.
    package enum Effect: Hashable, Sendable {
        /// Makes a job.
        case work
        /// Ends work: possible also while nothing else can be written.
        case cancel
        /// Changes something else.
        case change
        /// Keeps something busy or lets it go; done twice it is as if done once.
        case interest
        /// Reads as much as the state is large.
        case list
        /// Is not understood.
        case nothing
    }

    /// What carrying it out does.
    package var effect: Effect {
        switch self {
        case .feed(_, let request): request.effect
        case .job(let request): request.effect
        case .listFeeds: .list
        case .drainWorker, .limit, .pause: .change
        case .unknown, .unreadable: .nothing
        }
    }

    /// Whether the reply is kept, because a second run would do something a second time.
    package var changesState: Bool {
        switch effect {
        case .work, .cancel, .change: true
        case .interest, .list, .nothing: false
        }
    }
}

// MARK: What it is about and how large it is

extension RequestBody {
    /// The feed that the request is about, as it was named; nil: it is about none.
    package var feed: FeedKey? {
        guard case .feed(let key, _) = self else { return nil }
        return key
    }

    /// Bytes of the texts and items that it carries: what bounds of memory count beside its place.
    package var byteCount: Int {
        switch self {
        case .feed(let key, let request): key.text.utf8.count + request.byteCount
        case .job(let request): request.byteCount
        case .listFeeds(let after): after?.text.utf8.count ?? 0
        case .limit(let request): request.byteCount
        case .pause(let request): request.byteCount
        case .drainWorker, .unknown: 0
        case .unreadable(let error): error.what.utf8.count + error.reason.utf8.count
        }
    }
}

// MARK: What distinguishes it from others

extension RequestBody {
    /// The fingerprint of what is asked.
    package var fingerprint: UInt64 {
        var print = Fingerprint(kind: kindNumber)
        switch self {
        case .feed(let key, let request):
            print.add(key.text)
            request.add(to: &print)
        case .job(let request): request.add(to: &print)
        case .listFeeds(let after): print.add(after?.text)
        case .drainWorker(let worker): print.add(worker.rawValue)
        case .limit(let request): request.add(to: &print)
        case .pause(let request): request.add(to: &print)
        case .unknown: break
        case .unreadable(let error): print.add(error.description)
        }
        return print.value
    }

    /// The number of the request's field in `gantry.proto`, 0 where it has none.
    private var kindNumber: UInt8 {
        switch self {
        case .feed(_, let request): request.kindNumber
        case .job(let request): request.kindNumber
        case .listFeeds: 18
        case .drainWorker: 37
        case .limit(let request): request.kindNumber
        case .pause(let request): request.kindNumber
        case .unknown, .unreadable: 0
        }
    }
}

/// What a request asks of the jobs of the queue.
///
/// All that is known of a kind of such request without looking at the front stands in this file, so that a new one is described only here.
package enum JobRequest: Hashable, Sendable {
    /// Ends a job for everybody.
    case cancel(JobID)
    /// Gives a waiting job another priority: it stands in line as if it had been accepted with that.
    case reprioritize(JobID, priority: UInt8)
    /// Makes a scheduled job due.
    case promote(JobID)
    /// Moves a job that waits, or is scheduled, to another time.
    case delay(JobID, JobStart)
    /// Counts no crash of a worker against a waiting job any more.
    case forgive(JobID)
    /// Does something with all jobs of a selection, or counts them.
    case bulk(BulkRequest)
    /// Lists jobs, newest first.
    case list(JobQuery)
    /// Asks for the timeline of a job and the reason of its wait.
    case explain(JobID)
    /// Asks how jobs ended that the session had submitted.
    case outcomes([JobID])
}

extension JobRequest {
    /// What carrying it out does.
    package var effect: RequestBody.Effect {
        switch self {
        case .cancel: .cancel
        case .reprioritize, .promote, .delay, .forgive: .change
        case .bulk(let bulk): bulk.effect
        case .list, .explain, .outcomes: .list
        }
    }

    /// Bytes of what it carries: what bounds of memory count beside its place.
    package var byteCount: Int {
        switch self {
        case .list(let query): query.byteCount
        case .bulk(let bulk): bulk.selection.byteCount
        case .outcomes(let jobs): jobs.count * MemoryLayout<JobID>.stride
        case .cancel, .reprioritize, .promote, .delay, .forgive, .explain: 0
        }
    }

    /// Adds what is asked.
    func add(to print: inout Fingerprint) {
        switch self {
        case .cancel(let job), .explain(let job), .promote(let job), .forgive(let job): print.add(job.rawValue)
        case .reprioritize(let job, let priority):
            print.add(job.rawValue)
            print.add(UInt64(priority))
        case .delay(let job, let start):
            print.add(job.rawValue)
            start.add(to: &print)
        case .list(let query): query.add(to: &print)
        case .bulk(let bulk): bulk.add(to: &print)
        case .outcomes(let jobs): for job in jobs { print.add(job.rawValue) }
        }
    }

    /// The number of the request's field in `gantry.proto`.
    fileprivate var kindNumber: UInt8 {
        switch self {
        case .cancel: 7
        case .list: 15
        case .explain: 16
        case .outcomes: 17
        case .reprioritize: 21
        case .promote: 34
        case .delay: 35
        case .forgive: 39
        case .bulk: 38
        }
    }
}

/// What a request asks of a feed or of one of its views.
///
/// All that is known of a kind of such request without looking at the front stands in this file, so that a new one is described only here.
package enum FeedRequest: Hashable, Sendable {
    /// Loads the feed from its source; joins a load that is under way, unless its configuration lets one more follow one that runs.
    case load
    /// Asks the source again in the background.
    case refresh
    /// Repeats the request that failed, if that failure is still the last one of the feed or of the view.
    case retry(view: String, failure: FailureID)
    /// Cancels what runs and forgets content, failure and selection; nil version: whatever is current.
    case reset(version: ContentVersion?)
    /// Ends the newest accepted load for everybody; a job: only if it is that one.
    case cancelLoad(only: JobID?)
    /// Appends an item (JSON text) to an editable feed.
    case create(item: [UInt8])
    /// Replaces an item of an editable feed.
    case update(itemID: String, item: [UInt8])
    /// Orders a view; nil: the list's own order; a version: only if the view still has it.
    case sort(view: String, order: SortOrder?, version: UInt64?)
    /// Filters a view; empty: all items.
    case filter(view: String, text: String, version: UInt64?)
    /// Selects an item of a view and loads its detail; nil: deselects.
    case select(view: String, itemID: String?, version: UInt64?)
    /// Keeps the feed loaded while the session lives.
    case attach(view: String)
    /// Ends that interest.
    case detach(view: String)
}

extension FeedRequest {
    /// What carrying it out does.
    package var effect: RequestBody.Effect {
        switch self {
        case .load, .refresh, .retry, .sort, .filter, .select, .create, .update: .work
        case .cancelLoad: .cancel
        case .reset: .change
        case .attach, .detach: .interest
        }
    }

    /// Bytes of the texts and items that it carries beside the feed's key.
    package var byteCount: Int {
        switch self {
        case .load, .refresh, .reset, .cancelLoad: 0
        case .retry(let view, _), .attach(let view), .detach(let view): view.utf8.count
        case .create(let item): item.count
        case .update(let itemID, let item): itemID.utf8.count + item.count
        case .sort(let view, let order, _): view.utf8.count + (order?.field.utf8.count ?? 0)
        case .filter(let view, let text, _): view.utf8.count + text.utf8.count
        case .select(let view, let itemID, _): view.utf8.count + (itemID?.utf8.count ?? 0)
        }
    }

    /// Adds what is asked, after the feed's key.
    func add(to print: inout Fingerprint) {
        switch self {
        case .load, .refresh: break
        case .retry(let view, let failure):
            print.add(view)
            print.add(failure.rawValue)
        case .reset(let version): print.add(version?.rawValue)
        case .cancelLoad(let job): print.add(job?.rawValue)
        case .create(let item): print.add(item)
        case .update(let itemID, let item):
            print.add(itemID)
            print.add(item)
        case .sort(let view, let order, let version):
            print.add(view)
            print.add(order?.field)
            print.add(order.map { $0.ascending ? 1 : 0 })
            print.add(version)
        case .filter(let view, let text, let version):
            print.add(view)
            print.add(text)
            print.add(version)
        case .select(let view, let itemID, let version):
            print.add(view)
            print.add(itemID)
            print.add(version)
        case .attach(let view), .detach(let view): print.add(view)
        }
    }

    /// The number of the request's field in `gantry.proto`.
    fileprivate var kindNumber: UInt8 {
        switch self {
        case .load: 3
        case .refresh: 4
        case .retry: 5
        case .reset: 6
        case .create: 8
        case .update: 9
        case .sort: 10
        case .filter: 11
        case .select: 12
        case .attach: 13
        case .detach: 14
        case .cancelLoad: 20
        }
    }
}
