//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension WorkerMessage {
    /// No fewer bytes than the message takes in an envelope.
    var greatestByteCount: Int {
        switch self {
        case .register(let registration):
            Self.registrationByteCount + registration.name.utf8.count + Self.heldByteCount * registration.held.count
                + Self.rowByteCount * registration.loaders.count
        case .renewal(_, let numbers, _), .overdue(let numbers): Self.fixedByteCount + MemoryLayout<UInt64>.size * numbers.count
        case .progress(let reports):
            reports.reduce(Self.fixedByteCount) { $0 + Self.rowByteCount + $1.progress.message.utf8.count + $1.progress.unit.utf8.count }
        case .ended(let ended): ended.greatestByteCount
        case .refusedGrants(let refused):
            Self.rowByteCount + MemoryLayout<UInt64>.size * refused.leases.count + refused.reason.utf8.count
        case .cancelStep, .draining, .close, .unknown, .unreadable: Self.fixedByteCount
        }
    }

    // No fewer than the numbers, tags and lengths of each take: what is counted too low would make a frame that the front does not read.

    /// A message with a few numbers.
    private static var fixedByteCount: Int { 48 }
    /// A row with a lease, some numbers and short texts: a progress report, or a loader with a name of 63 bytes.
    private static var rowByteCount: Int { 96 }
    /// A registration with its secret, token and process.
    private static var registrationByteCount: Int { 256 }
    /// A held job and its lease.
    private static var heldByteCount: Int { 32 }
}
