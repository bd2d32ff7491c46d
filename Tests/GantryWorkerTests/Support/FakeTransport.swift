//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

@testable import GantryWorker

/// A connection whose other end is the test.
struct FakeTransport: WorkerTransport {
    struct Crash: Error {}

    var arrived: [[UInt8]] = []
    var sent: [[UInt8]] = []
    var isConnected = true
    var reconnects = 0
    var waits: [MonotonicTime] = []

    mutating func wait(until deadline: MonotonicTime, toSend: Bool) { waits.append(deadline) }

    mutating func receive() -> [UInt8]? { arrived.isEmpty ? nil : arrived.removeFirst() }

    mutating func send(_ frame: [UInt8]) -> Bool {
        if isConnected { sent.append(frame) }
        return isConnected
    }

    mutating func reconnect() { reconnects += 1 }
}
