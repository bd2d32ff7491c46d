//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension Inbox {
    /// What a peer's turn finds.
    enum Next {
        /// The peer has nothing, or what it has must wait.
        case nothing
        /// A frame that cannot be read; it is gone.
        case unreadable(CodecError)
        /// The peer's oldest frame, taken out: what is left of it after its next message has to be put back.
        case frame(OpenFrame)
    }

    /// Takes the peer's oldest frame out, and opens it if that was not done in an earlier turn.
    ///
    /// - Parameters:
    ///   - budget: Pays for the bytes of a frame that is opened, and for one message.
    ///   - messageByteCount: What the messages of an envelope take in memory.
    mutating func takeNext(
        of peer: PeerID, _ budget: inout TurnBudget, decode: ([UInt8]) throws(CodecError) -> Envelope, messageByteCount: (Envelope) -> Int
    ) -> Next {
        if let open = takeOpen(of: peer) {
            budget.take()
            return .frame(open)
        }
        guard let frame = takeFrame(of: peer) else {
            // So the budget ends a turn in which all have to wait.
            if hasFrame(of: peer) { budget.take() }
            return .nothing
        }
        let byteCount = frame.bytes?.count ?? 0
        budget.take()
        budget.take(byteCount: byteCount)
        do throws(CodecError) {
            let envelope = try decode(try frame.body())
            let openByteCount = byteCount + messageByteCount(envelope)
            return .frame(OpenFrame(principal: frame.principal, envelope: envelope, byteCount: openByteCount, next: 0))
        } catch {
            return .unreadable(error)
        }
    }
}
