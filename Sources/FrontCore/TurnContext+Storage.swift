//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Whether the disk is full, and what follows for who asks: all machines see the same.
extension TurnContext {
    /// The disk is full, or has room again; observers of `front` see it.
    /// - Returns: whether that is new, so that all waiting jobs may wait for another reason.
    mutating func noteStorage(isFull: Bool) -> Bool {
        guard storageIsFull != isFull else { return false }
        setStorageIsFull(isFull)
        return true
    }

    /// Why nothing can be written now that makes new work; nil: it can.
    var refusalOfStorage: Reply? {
        guard storageIsFull else { return nil }
        return .refusal(.storageFull, "\(settings.fullDiskText): free some space; nothing accepted is lost", retryAfter: RetryPause.usual)
    }
}
