//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

extension FrontMessage.Welcome {
    /// The welcome of a front that names where its changes are.
    static func open(session: SessionID, isResumed: Bool) -> Self {
        var welcome = Self(session: session, isResumed: isResumed)
        welcome.changesEndpoint = "ipc:///run/changes"
        return welcome
    }
}
