//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryZMQ

/// The longest a test waits for something that must come; only a hung test ever reaches it.
let gracePeriod: Duration = .seconds(20)

/// Waits until a socket has something to receive.
func waitReadable<Role>(_ socket: borrowing Socket<Role>) throws -> Bool {
    var poller = Poller()
    _ = try poller.add(socket)
    return try poller.wait(upTo: gracePeriod) == 1
}

/// Waits until a socket has a peer with room.
func waitWritable<Role>(_ socket: borrowing Socket<Role>) throws -> Bool {
    var poller = Poller()
    _ = try poller.add(socket, for: .writable)
    return try poller.wait(upTo: gracePeriod) == 1
}

/// The next body a router receives.
func nextRouted(_ socket: borrowing Socket<Router>) throws -> (from: RoutingID, body: [UInt8])? {
    guard try waitReadable(socket), let message = try socket.receiveRouted() else { return nil }
    return (message.routingID, message.body.copyBytes())
}
