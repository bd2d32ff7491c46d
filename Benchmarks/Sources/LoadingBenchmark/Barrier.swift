//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Counts arrivals and lets one task wait for a number of them.
@MainActor
final class Barrier {
    private var arrived = 0
    private var waiter: (count: Int, continuation: CheckedContinuation<Void, Never>)?

    func arrive() {
        arrived += 1
        guard let waiter, arrived >= waiter.count else { return }
        self.waiter = nil
        arrived = 0
        waiter.continuation.resume()
    }

    /// Returns when so many have arrived since the last return.
    func all(_ count: Int) async {
        if arrived >= count {
            arrived = 0
            return
        }
        await withCheckedContinuation { waiter = (count, $0) }
    }
}
