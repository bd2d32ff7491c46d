//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Synchronization

/// The one line of a terminal that is written over and over while a command waits. It goes before anything else is written there, so that
/// results and errors stand alone.
final class ProgressLine: Sendable {
    /// That of standard error.
    static let shared = ProgressLine()

    private let isDrawn = Mutex(false)

    /// How wide the terminal is; nil: there is none, or one that cannot clear a line.
    var columns: Int? {
        guard ProcessInfo.processInfo.environment["TERM"] != "dumb" else { return nil }
        return NumberedDescriptor.terminalSize(2)?.columns
    }

    /// Writes the line over the one before.
    func draw(_ text: String, columns: Int) {
        isDrawn.withLock { isDrawn in
            write(Self.drawing(of: text, columns: columns))
            isDrawn = true
        }
    }

    /// Takes the line away.
    func clear() {
        isDrawn.withLock { isDrawn in
            if isDrawn { write(Self.clearing) }
            isDrawn = false
        }
    }

    /// What writes a text over the line before. The last column stays free: a terminal that is about to begin a new line would clear the
    /// character in it.
    static func drawing(of text: String, columns: Int) -> String { "\r" + TextFit.cut(text, columns: columns - 1) + "\u{1B}[K" }

    /// What takes the line away, for one who may not wait for a terminal that stands still; empty where there is none.
    var clearing: String { isDrawn.withLockIfAvailable { $0 ? Self.clearing : "" } ?? "" }

    /// To the first column, and clear to the end of the line.
    private static let clearing = "\r\u{1B}[K"

    private func write(_ text: String) {
        // Nobody can be told that standard error is closed.
        try? NumberedDescriptor.write(Array(text.utf8), to: 2)
    }
}
