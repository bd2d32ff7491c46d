//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension ClientSessions {
    /// Why a session may not wish that one more view be kept; nil: it may, or does already.
    func refusalOfAttachment(_ id: SessionID, to view: ClientSession.AttachedView, in turn: inout TurnContext) -> Reply? {
        guard let session = self[id], !session.attachments.contains(view) else { return nil }
        let bounds = turn.settings.bounds
        guard session.attachments.count >= bounds.attachments || attachmentCount >= bounds.allAttachments else { return nil }
        let counts = "\(session.attachments.count) views, all clients together to \(attachmentCount)"
        let text = "this client is attached to \(counts) (limit): detach from some first"
        return turn.busy(.attachments, text, retryAfter: RetryPause.usual)
    }
}
