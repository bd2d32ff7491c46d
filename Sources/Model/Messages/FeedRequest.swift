//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What a request asks of a feed or of one of its views.
///
/// All that is known of a kind of such request without looking at the front stands in this file, so that a new one is told of here and nowhere else.
public enum FeedRequest: Hashable, Sendable {
    /// Loads the feed from its source; joins a load that is under way.
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
    /// Wishes that the feed be loaded and kept while the session lives.
    case attach(view: String)
    /// Ends that interest.
    case detach(view: String)
}

extension FeedRequest {
    /// What carrying it out does.
    public var effect: RequestBody.Effect {
        switch self {
        case .load, .refresh, .retry, .sort, .filter, .select, .create, .update: .work
        case .cancelLoad: .cancel
        case .reset: .change
        case .attach, .detach: .interest
        }
    }

    /// Bytes of the texts and items that it carries beside the feed's key.
    public var byteCount: Int {
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
    var kindNumber: UInt8 {
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
