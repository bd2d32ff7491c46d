//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

// What a full disk means for who asks: all machines see the same.
extension TurnContext {
    /// Why nothing can be written now that makes new work; nil: it can.
    var refusalOfStorage: Reply? {
        guard storageIsFull else { return nil }
        return .refusal(.storageFull, "\(settings.fullDiskText): free some space; nothing accepted is lost", retryAfter: RetryPause.usual)
    }
}
