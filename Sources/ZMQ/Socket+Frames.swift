//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import Glibc

extension Socket where Role: ExchangesFrames {
    /// Receives a whole message of any number of frames, or nil if none waits.
    /// - Throws: `terminated` after the context was shut down.
    public borrowing func receiveFrames() throws(ZMQError) -> [[UInt8]]? {
        let message = Message()
        var frames: [[UInt8]] = []
        while true {
            switch try handle.receive(into: message) {
            case .nothing:
                return nil
            case .more:
                frames.append(message.copyBytes())
            case .last:
                frames.append(message.copyBytes())
                return frames
            }
        }
    }

    /// Queues a message of one or more frames, all or nothing, without ever blocking.
    /// - Throws: `invalidArgument` for no frames, `terminated` after the context was shut down.
    public borrowing func sendFrames(_ frames: [[UInt8]]) throws(ZMQError) -> SendOutcome {
        guard !frames.isEmpty else {
            throw ZMQError(code: .invalidArgument, context: "sending a message without frames; give at least one")
        }
        for (index, frame) in frames.enumerated() {
            let flags = index == frames.count - 1 ? 0 : sendMore
            let code = unsafe frame.withUnsafeBytes { unsafe handle.send($0, flags: flags) }
            if code == EAGAIN, index == 0 { return .wouldBlock }
            guard code == 0 else { throw handle.failure(code, "sending on") }
        }
        return .sent
    }
}
