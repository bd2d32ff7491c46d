//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension RequestBody {
    /// Bytes of the texts and items that it carries: what bounds of memory count beside its place.
    public var byteCount: Int {
        switch self {
        case .load(let key), .refresh(let key), .resolve(let key), .reset(let key, _), .cancelLoad(let key, _): key.text.utf8.count
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
        case .cancel, .explain, .unknown: 0
        }
    }
}
