//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FeedOperation {
    /// What has been done once such a job has ended; ITEM stands for the item's id.
    var done: String {
        switch self {
        case .load, .merge: "loaded"
        case .create: "created ITEM, now"
        case .update: "updated, now"
        case .sort: "ordered"
        case .detail: "selected"
        }
    }
}
