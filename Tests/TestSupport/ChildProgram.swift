//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
package import GantryPlatform

/// A program that a test starts, with what it prints.
///
/// Foundation's `Process` hands each program the descriptors that another thread opened in that moment, so that the end of a pipe may be held by a
/// program that runs for minutes; what is started here gets its three streams and no more. Reading and waiting block: use it `onOwnThread`.
package final class ChildProgram {
    /// Its number.
    package let process: ProcessID
    private let output: OwnedDescriptor
    private var chunk: [UInt8] = []
    private var unread: [UInt8] = []

    /// Starts a command that is found as a shell finds it; it has nothing to read.
    /// - Parameter takesErrors: whether its standard error is read with its standard output.
    package init(_ command: [String], takesErrors: Bool = false) throws {
        var pipe = try PipePair()
        output = pipe.takeReader()
        let writer = pipe.takeWriter()
        var request = SpawnRequest(
            executable: "/usr/bin/env", arguments: command, environment: ProcessInfo.processInfo.environment)
        request.standardOutput = .descriptor(writer.rawValue)
        if takesErrors { request.standardError = .descriptor(writer.rawValue) }
        process = try request.spawn()
        try writer.close()
    }

    /// The next line; nil: the program has closed its output.
    package func nextLine() throws -> String? {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: unread[..<end], as: UTF8.self)
                unread.removeSubrange(...end)
                return line
            }
            guard try readMore() else { return nil }
        }
    }

    /// All that it prints until it closes its output.
    package func rest() throws -> String {
        while try readMore() {}
        defer { unread = [] }
        return String(decoding: unread, as: UTF8.self)
    }

    private func readMore() throws -> Bool {
        guard try output.read(into: &chunk, count: 65_536) > 0 else { return false }
        unread += chunk
        return true
    }

    /// Ends it at once, as a crash would.
    package func kill() throws { try ProcessControl.send(.kill, to: process) }

    /// Waits for its end, at most ten minutes.
    /// - Returns: nil: it still runs.
    package func exit() throws -> ProcessExit? {
        _ = try ProcessControl.exitDescriptor(of: process).waitReadable(upTo: .seconds(600))
        return try ProcessControl.reap(process)
    }

    /// What it printed until its end, and its exit code; that of a shell after a signal.
    package func runToEnd() throws -> (status: Int32, output: String) {
        let output = try rest()
        switch try exit() {
        case .exited(let code): return (code, output)
        case .signaled(let signal): return (128 + signal.rawValue, output)
        case nil: return (-1, output)
        }
    }
}
