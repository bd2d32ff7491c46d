//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import Model
import WorkerKit

/// A worker's connection in a world.
struct SimulatedWorkerTransport: WorkerTransport {
    unowned let process: WorkerProcess

    func wait(until deadline: MonotonicTime, toSend: Bool) throws { try process.check() }

    func receive() throws -> [UInt8]? {
        try process.check()
        return process.endpoint.inbox.popFirst()?.payload
    }

    func send(_ frame: [UInt8]) throws -> Bool {
        try process.check()
        return process.world.network.send(frame, from: process.endpoint)
    }

    func reconnect() throws {
        try process.check()
        process.world.note("\(process.name) reconnects")
        process.world.network.reopen(process.endpoint)
    }
}
