//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import Logging

/// What the front's loop refused, dropped or gave up, as lines of the log. Each is of use to who looks for a fault and noise to everybody else,
/// so it is written at level debug: `GANTRY_LOG_LEVEL=debug gantry front`.
enum LoopNoteLog {
    /// Where the loop's notes go; nil: that level is not written, and the loop need not make any.
    static func sink(_ logger: Logger) -> (@Sendable (LoopNote) -> Void)? {
        guard logger.logLevel <= .debug else { return nil }
        return { note in
            var fields: Logger.Metadata = ["event": "\(note.cause)"]
            if let peer = note.peer { fields["peer"] = "\(peer)" }
            logger.debug("\(note.text)", metadata: fields)
        }
    }
}
