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
        case .renewal(_, let numbers), .overdue(let numbers): 48 + 8 * numbers.count
        case .progress(let reports): reports.reduce(32) { $0 + 96 + $1.progress.message.utf8.count + $1.progress.unit.utf8.count }
        case .ended(let ended): ended.greatestByteCount
        case .refusedGrants(let refused): 96 + 8 * refused.leases.count + refused.reason.utf8.count
        case .cancelStep, .draining, .goodbye, .unknown, .unreadable: 48
        }
    }
}
