//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import Model
import Testing

@Suite("Frames that are no envelopes")
struct MalformedFrameTests {
    private func refusals(_ front: LoopHarness, _ peer: PeerID, _ channel: FrontChannel) throws -> [Refused] {
        let messages: [Refused?] =
            channel == .workers
            ? try front.takeSent(toWorker: peer).map { if case .refused(let refused) = $0 { refused } else { nil } }
            : try front.takeSent(to: peer).flatMap(\.envelope.messages).map { if case .refused(let refused) = $0 { refused } else { nil } }
        return messages.compactMap { $0 }
    }

    @Test("the refusal says what the reader says of the frame", arguments: [FrontChannel.clients, .workers])
    func reason(channel: FrontChannel) throws {
        let front = try LoopHarness()
        let peer = PeerID(9)
        // A field that is longer than the frame; a message of two frames.
        for bytes: [UInt8]? in [[0x0A, 0x7F, 1], nil] { front.send(bytes, from: peer, on: channel) }
        try front.turn()
        let refusals = try refusals(front, peer, channel)
        #expect(refusals.map(\.code) == [.invalidData, .invalidData])
        #expect(Set(refusals.map(\.reason)).count == 2 && refusals.last?.reason.contains("other frames than one") == true, "\(refusals)")
        #expect(refusals.allSatisfy { $0.reason.contains("cannot be read: ") && $0.reason.contains("PROTOCOL.md") })
    }
}
