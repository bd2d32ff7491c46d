//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import Model
import ZMQ

extension PeerID {
    /// The peer behind a routing id on one of the two routers: channel, length and up to six bytes of the id in one number.
    ///
    /// The library's own ids have five bytes. Nil for longer ids, which only a peer that names itself has.
    init?(_ routingID: RoutingID, on channel: FrontChannel) {
        let bytes = routingID.bytes
        guard bytes.count <= 6 else { return nil }
        var number = UInt64(channel.rawValue) << 56 | UInt64(bytes.count) << 48
        for (index, byte) in bytes.enumerated() { number |= UInt64(byte) << UInt64(8 * index) }
        self.init(number | 1 << 63)
    }

    /// The channel that the peer is connected to.
    var channel: FrontChannel { FrontChannel(rawValue: UInt8(truncatingIfNeeded: (rawValue & ~(1 << 63)) >> 56)) ?? .clients }

    /// The routing id that the number was made of.
    var routingID: RoutingID? {
        let count = Int(rawValue >> 48 & 0xFF)
        return RoutingID(bytes: (0..<count).map { UInt8(truncatingIfNeeded: rawValue >> UInt64(8 * $0)) })
    }
}
