//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Dispatch
import Foundation
import Synchronization

/// Holds threads until it is opened, and says how many came to it.
package final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let arrivals: AsyncStream<Void>
    private let input: AsyncStream<Void>.Continuation

    /// A gate that is shut.
    package init() { (arrivals, input) = AsyncStream.makeStream() }

    /// Blocks the calling thread until the gate is open.
    package func pass() {
        input.yield()
        semaphore.wait()
        semaphore.signal()
    }

    /// Returns when so many more threads have come.
    package func arrived(_ count: Int) async {
        var left = count
        guard left > 0 else { return }
        for await _ in arrivals {
            left -= 1
            if left == 0 { return }
        }
    }

    /// Lets everybody pass from now on.
    package func open() { semaphore.signal() }
}

/// Runs what blocks or takes seconds, such as reading what another process prints, on a thread of its own: tests share as few threads as
/// there are cores, and one that holds a thread holds up the others.
///
/// - Throws: what `body` throws.
package func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}
