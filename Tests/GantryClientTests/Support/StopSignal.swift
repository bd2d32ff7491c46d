//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Synchronization

/// Something that happens once and can be awaited before or after; each waiting takes it back.
final class StopSignal: Sendable {
    private struct Contents {
        var hasFired = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let contents = Mutex(Contents())

    func fire() {
        let waiter = contents.withLock { contents in
            defer { contents.waiter = nil }
            contents.hasFired = contents.waiter == nil
            return contents.waiter
        }
        waiter?.resume()
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isReady = contents.withLock { contents in
                guard contents.hasFired else {
                    contents.waiter = continuation
                    return false
                }
                contents.hasFired = false
                return true
            }
            if isReady { continuation.resume() }
        }
    }
}
