//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension WorkerSettings {
    /// What of a result is too large to be reported, with what to do about it; nil: nothing is.
    ///
    /// The front drops a message with something over its bound as a whole, so it must never be sent.
    func excess(of result: [UInt8], _ feed: FeedResult?) -> String? {
        guard result.count <= resultByteCount else {
            return "the result has \(result.count) bytes (limit \(resultByteCount)): put it into an object"
        }
        guard let feed else { return nil }
        guard feed.detail.count <= resultByteCount else {
            return "the detail has \(feed.detail.count) bytes (limit \(resultByteCount)): put it into an object"
        }
        if let count = feed.itemID?.utf8.count, count > MessageBounds.itemIDByteCount {
            return "the new item's id has \(count) bytes (limit \(MessageBounds.itemIDByteCount)): let the loader give it a shorter one"
        }
        guard feed.source.rawValue.utf8.count <= MessageBounds.labelByteCount else {
            return
                "the name of the source has \(feed.source.rawValue.utf8.count) bytes (limit \(MessageBounds.labelByteCount)): let the loader give it a shorter one"
        }
        return nil
    }
}
