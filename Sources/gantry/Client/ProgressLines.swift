//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Synchronization

/// Progress on standard error, each line only when it is another than the one before.
final class ProgressLines: Sendable {
    private let printing: OutputOptions
    private let last = Mutex("")

    init(_ printing: OutputOptions) { self.printing = printing }

    /// Prints the line unless it was just printed.
    func show(_ line: String) {
        let isNew = last.withLock { last in
            defer { last = line }
            return last != line
        }
        if isNew { printing.notice(line) }
    }
}
