//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension RequestBody {
    /// The feed that the request is about, as it was named; nil: it is about none.
    public var feed: FeedKey? {
        switch self {
        case .load(let key), .refresh(let key), .attach(let key, _), .detach(let key, _), .resolve(let key), .cancelLoad(let key, _): key
        case .retry(let key, _, _), .reset(let key, _), .create(let key, _), .update(let key, _, _): key
        case .sort(let key, _, _, _), .filter(let key, _, _, _), .select(let key, _, _, _): key
        case .cancel, .listJobs, .explain, .outcomes, .listFeeds, .unknown, .unreadable: nil
        }
    }
}
