//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Client
import Model
import Platform
import Synchronization
import Wire
import ZMQ

/// Observers of `jobs`, each a client of its own, turned by one thread.
final class BenchObserver: Sendable {
    private let stopping = Mutex(false)
    private let signal: EventSignal
    private let verified = Mutex(0)

    init() throws { signal = try EventSignal() }

    /// Starts the thread; it ends with the process or `stop`.
    func start(requests: String, count: Int) throws {
        _ = try startThread(name: "observers", stackSize: 4 << 20) { [self] in
            guard let context = try? Context(), let seed = try? SystemRandom.next() else { return }
            var loops = (0..<count).map { number in
                ClientLoop(
                    transport: SocketTransport(context: context, requests: requests, signal: signal), clock: SystemClientClock(),
                    codec: WireCodec(), settings: SessionSettings(label: "observer \(number)", seed: seed &+ UInt64(number)))
            }
            var notices: [ClientNotice] = []
            for index in loops.indices { loops[index].turn([.observe(.jobs)], into: &notices) }
            let clock = SystemClientClock()
            while !stopping.withLock({ $0 }) {
                loops[0].wait(until: clock.now().adding(milliseconds: count == 1 ? 1_000 : 20))
                for index in loops.indices { loops[index].turn([], into: &notices) }
                for case .topic(let update) in notices where update.isVerified { verified.withLock { $0 += 1 } }
                notices.removeAll(keepingCapacity: true)
            }
        }
    }

    /// Changes that were seen and proved.
    var verifiedCount: Int { verified.withLock { $0 } }

    func stop() {
        stopping.withLock { $0 = true }
        signal.signal()
    }
}
