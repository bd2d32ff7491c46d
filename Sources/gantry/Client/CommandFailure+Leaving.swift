//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension CommandFailure {
    /// Ctrl-C of a command that waits for work.
    static let stoppedWaiting = CommandFailure(
        .detached, code: "detached", message: "stopped waiting; the work continues in the background", nextStep: "gantry watch")
    /// Ctrl-C of a command that looks on.
    static let stoppedWatching = CommandFailure(.detached, code: "detached", message: "stopped watching")
}
