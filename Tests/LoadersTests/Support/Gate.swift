//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Dispatch
import Synchronization

/// Holds threads until it is opened, and says how many came to it.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let arrivals: AsyncStream<Void>
    private let input: AsyncStream<Void>.Continuation

    init() { (arrivals, input) = AsyncStream.makeStream() }

    /// Blocks the calling thread until the gate is open.
    func pass() {
        input.yield()
        semaphore.wait()
        semaphore.signal()
    }

    /// Returns when so many more threads have come.
    func arrived(_ count: Int) async {
        var left = count
        guard left > 0 else { return }
        for await _ in arrivals {
            left -= 1
            if left == 0 { return }
        }
    }

    /// Lets everybody pass from now on.
    func open() { semaphore.signal() }
}
