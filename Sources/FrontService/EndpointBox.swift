//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Platform
import Synchronization
import ZMQ

/// Hands the address that a thread has bound, or why it could not, to the thread that started it.
final class EndpointBox: Sendable {
    private let result = Mutex<Result<String, ZMQError>?>(nil)
    private let signal: EventSignal

    init() throws(SystemError) { signal = try EventSignal() }

    /// Only the first result counts: a later one is the end of a thread that had bound before.
    func set(_ value: Result<String, ZMQError>) {
        result.withLock { if $0 == nil { $0 = value } }
        signal.signal()
    }

    func wait() -> Result<String, ZMQError> {
        while true {
            if let value = result.withLock({ $0 }) { return value }
            _ = try? NumberedDescriptor.waitReadable(signal.fileDescriptor, upTo: .seconds(5))
        }
    }
}
