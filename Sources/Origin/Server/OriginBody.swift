//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Hummingbird
import NIOCore

/// Sends a body piece by piece, as fast and as far as a fault lets it.
struct OriginBody {
    let content: OriginContent
    let fault: Fault?
    let removal: Gate?
    let exchange: OriginExchange

    /// The largest piece between two looks at the rate, as a part of a second.
    private static let slicesPerSecond = 20

    func write(to writer: inout any ResponseBodyWriter) async throws {
        let start = ContinuousClock.now
        var sent = 0
        try await stopIfDue(sent)
        for index in 0..<content.pieceCount {
            var rest = content.piece(index)[...]
            while !rest.isEmpty {
                if let rate = fault?.bytesPerSecond {
                    try await exchange.pause(until: start + .seconds(Double(sent) / Double(rate)))
                }
                let slice = rest.prefix(largestSlice(after: sent))
                try await writer.write(ByteBuffer(bytes: slice))
                rest = rest.dropFirst(slice.count)
                sent += slice.count
                exchange.sent(slice.count)
                try await stopIfDue(sent)
            }
        }
    }

    private func largestSlice(after sent: Int) -> Int {
        var size = Int.max
        if let rate = fault?.bytesPerSecond { size = min(size, max(1, rate / Self.slicesPerSecond)) }
        for stop in [fault?.cutAfterBytes, fault?.holdAfterBytes] {
            if let stop, stop > sent { size = min(size, stop - sent) }
        }
        return size
    }

    private func stopIfDue(_ sent: Int) async throws {
        if sent > 0, fault?.holdAfterBytes == sent, let removal { try await exchange.hold(until: removal) }
        if fault?.cutAfterBytes == sent {
            exchange.cut()
            throw OriginExchange.Closed()
        }
    }
}
