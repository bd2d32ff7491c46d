//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Client
import Model

/// The schemas of what this module writes.
public enum StateSchemas {
    /// Each of them once.
    public static var all: [any NamedSchema] {
        [
            ShownFeed.shape, ShownFeed.list, ShownActivity.shape, FeedContent.shape, WaitReason.shape, Progress.shape, Failure.shape,
            ShownJob.shape, ShownJob.list, CancelReceipt.shape, JobExplanation.shape, JobCounts.shape, ShownView.shape, ViewRevision.shape,
            SortOrder.shape, Detail.shape, WorkerSummary.shape, WorkerSummary.list, FeedPage.shape, ShownChange.shape,
        ] + ItemValue.wholeShapes
    }
}
