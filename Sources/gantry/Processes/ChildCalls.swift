//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Platform

/// The calls of the system that start a part's process and tell of its end; tests let them fail.
struct ChildCalls: Sendable {
    var spawn: @Sendable (SpawnRequest) throws -> ProcessID = { try $0.spawn() }
    var exitDescriptor: @Sendable (ProcessID) throws -> OwnedDescriptor = { try ProcessControl.exitDescriptor(of: $0) }
}
