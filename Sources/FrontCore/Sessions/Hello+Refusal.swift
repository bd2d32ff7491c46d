//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension ClientMessage.Hello {
    /// Why a front cannot take it, whatever sessions there are; nil: it can.
    func refusal(by settings: FrontSettings) -> Refused? {
        guard minimumVersion <= ProtocolVersion.current, maximumVersion >= ProtocolVersion.current else {
            let reason =
                "protocol versions \(minimumVersion) to \(maximumVersion) are offered, this front speaks "
                + "\(ProtocolVersion.current): use a client of the same release"
            return Refused(reason: reason, code: .invalidData)
        }
        if let front = settings.token, !front.admits(token) {
            return Refused(reason: "the token is not that of this front: say the content of DATA/run/token in hello", code: .notAuthorized)
        }
        guard largestFrame >= MessageBounds.smallestFrameByteCount else {
            let reason = "largest_frame is \(largestFrame), but a client must take frames of \(MessageBounds.smallestFrameByteCount) bytes"
            return Refused(reason: reason, code: .invalidData)
        }
        return nil
    }
}

extension FrontMessage.Welcome {
    /// What a front tells the client of a session.
    init(session: SessionID, isResumed: Bool, by settings: FrontSettings) {
        self.init(session: session, isResumed: isResumed)
        heartbeat = settings.heartbeat
        requestWindow = UInt32(settings.bounds.requestWindow)
        changesEndpoint = settings.changesEndpoint
        pagesEndpoint = settings.pagesEndpoint
        durability = JobDurability(rawValue: settings.durability.rawValue)
    }
}
