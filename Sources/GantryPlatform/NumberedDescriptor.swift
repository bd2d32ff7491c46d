//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CGantryPlatform

/// Calls on a descriptor that somebody else owns, known by its number: standard output, `--ready-fd`.
package enum NumberedDescriptor {
    /// Writes all bytes.
    /// - Throws: `brokenPipe` when nobody reads it, else the system's error, as when nobody passed that descriptor.
    package static func write(_ bytes: [UInt8], to number: Int32) throws(SystemError) {
        let code = unsafe bytes.withUnsafeBytes { unsafe gantry_write_all(number, $0.baseAddress, $0.count) }
        try checked(code, "writing \(bytes.count) bytes to descriptor \(number)")
    }

    /// Whether this process has a descriptor of that number.
    package static func isOpen(_ number: Int32) -> Bool { gantry_is_open(number) == 1 }

    /// Closes it.
    /// - Throws: the system's error when it is not open.
    package static func close(_ number: Int32) throws(SystemError) {
        try checked(gantry_close(number), "closing descriptor \(number)")
    }

    /// Reads what there is.
    /// - Parameter count: bytes at most.
    /// - Returns: none at the end.
    /// - Throws: the system's error.
    package static func read(_ number: Int32, upTo count: Int) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = unsafe bytes.withUnsafeMutableBytes { unsafe gantry_read(number, $0.baseAddress, count) }
        return Array(bytes.prefix(Int(try checked(read, "reading descriptor \(number)"))))
    }

    /// The limit of a wait that has none of its own: whoever waits does so again then. It only has to be long, for waking costs a little.
    package static let longestWait = Duration.seconds(3_600)

    /// Waits until there is something to read (or the other end is closed) or the time is over.
    /// - Returns: false when the time is over.
    /// - Throws: the system's error.
    package static func waitReadable(_ number: Int32, upTo limit: Duration) throws(SystemError) -> Bool {
        try checked(gantry_wait_ready(number, 0, limit.waitMilliseconds), "waiting for descriptor \(number)") > 0
    }

    /// Whether it is a terminal.
    package static func isTerminal(_ number: Int32) -> Bool {
        gantry_is_terminal(number) == 1
    }

    /// The size of the terminal, or nil if it is none or does not know how wide it is. One that does not know its rows counts as one of 24.
    package static func terminalSize(_ number: Int32) -> TerminalSize? {
        var columns: Int32 = 0
        var rows: Int32 = 0
        guard unsafe gantry_terminal_size(number, &columns, &rows) == 0, columns > 0 else { return nil }
        return TerminalSize(columns: Int(columns), rows: rows > 0 ? Int(rows) : 24)
    }
}

/// How many characters a terminal shows.
package struct TerminalSize: Hashable, Sendable {
    /// Characters in a line.
    package let columns: Int
    /// Lines.
    package let rows: Int

    /// Makes a size.
    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }
}
