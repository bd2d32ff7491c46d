//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A role that serves many peers and names one with each message: `[routing id][body]`.
public protocol RoutesMessages: SocketRole {}
