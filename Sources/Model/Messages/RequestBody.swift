//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What a request asks. Those that change something name their target by id and, where it matters, the version they saw.
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
    /// Asks for the key under which the front knows a feed, with the defaults of its parameters filled in; changes nothing.
    case resolve(FeedKey)
    /// A kind that this version does not know: refused by name.
    case unknown
    /// A request that names something which cannot be: refused by its reply.
    case unreadable(CodecError)
}
