//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What a request asks. Those that change something name their target by id and, where it matters, the version they saw.
///
/// All that is known of a kind of request without looking at the front stands in this file, so that a new one is told of here and nowhere else.
public enum RequestBody: Hashable, Sendable {
    /// Loads a feed from its source; joins a load that is under way.
    case load(FeedKey)
    /// Asks the source again in the background.
    case refresh(FeedKey)
    /// Repeats the request that failed, if that failure is still the last one of the feed or of the view.
    case retry(FeedKey, view: String, failure: FailureID)
    /// Cancels what runs and forgets content, failure and selection; nil version: whatever is current.
    case reset(FeedKey, version: ContentVersion?)
    /// Ends a job for everybody.
    case cancel(JobID)
    /// Gives a waiting job another priority: it stands in line as if it had been accepted with that.
    case reprioritize(JobID, priority: UInt8)
    /// Ends the newest accepted load of a feed for everybody; a job: only if it is that one.
    case cancelLoad(FeedKey, only: JobID?)
    /// Appends an item (JSON text) to an editable feed.
    case create(FeedKey, item: [UInt8])
    /// Replaces an item of an editable feed.
    case update(FeedKey, itemID: String, item: [UInt8])
    /// Orders a view; nil: the list's own order; a version: only if the view still has it.
    case sort(FeedKey, view: String, order: SortOrder?, version: UInt64?)
    /// Filters a view; empty: all items.
    case filter(FeedKey, view: String, text: String, version: UInt64?)
    /// Selects an item of a view and loads its detail; nil: deselects.
    case select(FeedKey, view: String, itemID: String?, version: UInt64?)
    /// Wishes that a feed be loaded and kept while the session lives.
    case attach(FeedKey, view: String)
    /// Ends that wish.
    case detach(FeedKey, view: String)
    /// Lists jobs, newest first.
    case listJobs(JobQuery)
    /// Tells why a job is where it is.
    case explain(JobID)
    /// Asks how jobs ended that the session had handed in.
    case outcomes([JobID])
    /// Lists the live feeds by key, those after the given one; nil: from the first.
    case listFeeds(after: FeedKey? = nil)
    /// A kind that this version does not know: refused by name.
    case unknown
    /// A request that names something which cannot be: refused by its reply.
    case unreadable(CodecError)
}

// MARK: What carrying it out does

extension RequestBody {
    /// What carrying out a request does. Whoever treats requests alike asks for this, so a new one is classified in one place.
    public enum Effect: Hashable, Sendable {
        /// Makes a job.
        case work
        /// Ends work: possible also while nothing else can be written.
        case cancel
        /// Changes something else.
        case change
        /// Keeps something busy or lets it go; done twice it is as if done once.
        case wish
        /// Reads as much as the state is large.
        case list
        /// Is not understood.
        case nothing
    }

    /// The table of all requests.
    public var effect: Effect {
        switch self {
        case .load, .refresh, .retry, .sort, .filter, .select, .create, .update: .work
        case .cancel, .cancelLoad: .cancel
        case .reset, .reprioritize: .change
        case .attach, .detach: .wish
        case .listJobs, .explain, .outcomes, .listFeeds: .list
        case .unknown, .unreadable: .nothing
        }
    }

    /// Whether the reply is kept, because a second run would do something a second time.
    public var changesState: Bool {
        switch effect {
        case .work, .cancel, .change: true
        case .wish, .list, .nothing: false
        }
    }
}

// MARK: What it is about and how large it is

extension RequestBody {
    /// The feed that the request is about, as it was named; nil: it is about none.
    public var feed: FeedKey? {
        switch self {
        case .load(let key), .refresh(let key), .attach(let key, _), .detach(let key, _), .cancelLoad(let key, _): key
        case .retry(let key, _, _), .reset(let key, _), .create(let key, _), .update(let key, _, _): key
        case .sort(let key, _, _, _), .filter(let key, _, _, _), .select(let key, _, _, _): key
        case .cancel, .reprioritize, .listJobs, .explain, .outcomes, .listFeeds, .unknown, .unreadable: nil
        }
    }

    /// Bytes of the texts and items that it carries: what bounds of memory count beside its place.
    public var byteCount: Int {
        switch self {
        case .load(let key), .refresh(let key), .reset(let key, _), .cancelLoad(let key, _): key.text.utf8.count
        case .retry(let key, let view, _), .attach(let key, let view), .detach(let key, let view): key.text.utf8.count + view.utf8.count
        case .create(let key, let item): key.text.utf8.count + item.count
        case .update(let key, let itemID, let item): key.text.utf8.count + itemID.utf8.count + item.count
        case .sort(let key, let view, let order, _): key.text.utf8.count + view.utf8.count + (order?.field.utf8.count ?? 0)
        case .filter(let key, let view, let text, _): key.text.utf8.count + view.utf8.count + text.utf8.count
        case .select(let key, let view, let itemID, _): key.text.utf8.count + view.utf8.count + (itemID?.utf8.count ?? 0)
        case .listJobs(let query): query.byteCount
        case .outcomes(let jobs): jobs.count * MemoryLayout<JobID>.stride
        case .listFeeds(let after): after?.text.utf8.count ?? 0
        case .unreadable(let error): error.what.utf8.count + error.reason.utf8.count
        case .cancel, .reprioritize, .explain, .unknown: 0
        }
    }
}

// MARK: What tells it from others

extension RequestBody {
    /// The fingerprint of what is asked.
    public var fingerprint: UInt64 {
        var print = Fingerprint(kind: kindNumber)
        switch self {
        case .load(let key), .refresh(let key): print.add(key.text)
        case .retry(let key, let view, let failure):
            print.add(key.text)
            print.add(view)
            print.add(failure.rawValue)
        case .reset(let key, let version):
            print.add(key.text)
            print.add(version?.rawValue)
        case .cancel(let job), .explain(let job): print.add(job.rawValue)
        case .reprioritize(let job, let priority):
            print.add(job.rawValue)
            print.add(UInt64(priority))
        case .create(let key, let item):
            print.add(key.text)
            print.add(item)
        case .update(let key, let itemID, let item):
            print.add(key.text)
            print.add(itemID)
            print.add(item)
        case .sort(let key, let view, let order, let version):
            print.add(key.text)
            print.add(view)
            print.add(order?.field)
            print.add(order.map { $0.ascending ? 1 : 0 })
            print.add(version)
        case .filter(let key, let view, let text, let version):
            print.add(key.text)
            print.add(view)
            print.add(text)
            print.add(version)
        case .select(let key, let view, let itemID, let version):
            print.add(key.text)
            print.add(view)
            print.add(itemID)
            print.add(version)
        case .attach(let key, let view), .detach(let key, let view):
            print.add(key.text)
            print.add(view)
        case .listJobs(let query): query.add(to: &print)
        case .outcomes(let jobs): for job in jobs { print.add(job.rawValue) }
        case .listFeeds(let after): print.add(after?.text)
        case .cancelLoad(let key, let job):
            print.add(key.text)
            print.add(job?.rawValue)
        case .unknown: break
        case .unreadable(let error): print.add(error.description)
        }
        return print.value
    }

    /// The number of the request's field in `gantry.proto`, 0 where it has none.
    private var kindNumber: UInt8 {
        switch self {
        case .load: 3
        case .refresh: 4
        case .retry: 5
        case .reset: 6
        case .cancel: 7
        case .create: 8
        case .update: 9
        case .sort: 10
        case .filter: 11
        case .select: 12
        case .attach: 13
        case .detach: 14
        case .listJobs: 15
        case .explain: 16
        case .outcomes: 17
        case .listFeeds: 18
        case .cancelLoad: 20
        case .reprioritize: 21
        case .unknown, .unreadable: 0
        }
    }
}
