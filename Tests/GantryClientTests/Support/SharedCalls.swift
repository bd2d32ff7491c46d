//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Synchronization

@testable import GantryClient

/// Calls that several tasks touch, as the tasks of a client and its loop do.
final class SharedCalls: Sendable {
    let calls = Mutex(ClientCalls(place: "/d/run/requests"))

    /// Changes the calls under their lock, and then, without it, resumes those that have an answer by it.
    /// - Returns: how many these are.
    @discardableResult
    func resume(_ change: (inout ClientCalls, inout [ClientCalls.Resumption]) -> Void) -> Int {
        let resumptions = calls.withLock { calls in
            var resumptions: [ClientCalls.Resumption] = []
            change(&calls, &resumptions)
            return resumptions
        }
        for (continuation, result) in resumptions { continuation.resume(returning: result) }
        return resumptions.count
    }
}
