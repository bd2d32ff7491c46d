//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension WorkerMessage {
    /// Bytes that it takes in memory beside those that it was sent in, roughly: a row of two bytes on the wire may take seventy here.
    var memoryByteCount: Int {
        let rows =
            switch self {
            case .register(let registration): registration.loaders.count * MemoryLayout<LoaderDeclaration>.stride
            case .progress(let reports): reports.count * MemoryLayout<ProgressReport>.stride
            case .ended(let ended):
                ended.failures.reduce(0) { $0 + MemoryLayout<Indexed<Failure>>.stride + $1.value.placesByteCount }
                    + ended.feedResults.count * MemoryLayout<Indexed<FeedResult>>.stride
            case .renewal, .cancelStep, .overdue, .draining, .close, .refusedGrants, .unknown, .unreadable: 0
            }
        return MemoryLayout<WorkerMessage>.stride + rows
    }
}
