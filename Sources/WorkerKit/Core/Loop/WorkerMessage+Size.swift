//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension WorkerMessage {
    /// No fewer bytes than the message takes in an envelope.
    var greatestByteCount: Int {
        switch self {
        case .register(let registration):
            256 + registration.name.utf8.count + 32 * registration.held.count + 96 * registration.loaders.count
        case .renewal(_, let numbers), .started(let numbers), .overdue(let numbers): 48 + 8 * numbers.count
        case .progress(let reports): reports.reduce(32) { $0 + 96 + $1.progress.message.utf8.count + $1.progress.unit.utf8.count }
        case .ended(let ended):
            96 + 27 * ended.jobs.count + ended.results.byteCount
                + ended.failures.reduce(0) { sum, failure in
                    sum + 128 + failure.value.text.utf8.count + failure.value.arguments.reduce(0) { $0 + 8 + $1.utf8.count }
                } + ended.feedResults.reduce(0) { $0 + 1_024 + $1.value.detail.count + ($1.value.itemID?.utf8.count ?? 0) }
        case .refusedGrants(let refused): 96 + 8 * refused.leases.count + refused.reason.utf8.count
        case .cancelStep, .draining, .goodbye, .unknown, .unreadable: 48
        }
    }
}
