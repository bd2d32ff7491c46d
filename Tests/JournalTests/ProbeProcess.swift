//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform

/// The program `JournalProbe` beside the test program, with its lines as they come. Reading them blocks: use it `onOwnThread`.
final class ProbeProcess {
    private let process: ProcessID
    private let output: OwnedDescriptor
    private var chunk: [UInt8] = []
    private var rest: [UInt8] = []

    /// Starts a probe, or `program` with the probe's path put in place of `PROBE`.
    init(_ arguments: [String], program: String? = nil) throws {
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let probe = own.deletingLastPathComponent().appendingPathComponent("JournalProbe").path
        var pipe = try PipePair()
        output = pipe.takeReader()
        let writer = pipe.takeWriter()
        var request = SpawnRequest(
            executable: program ?? probe, arguments: arguments.map { $0.replacingOccurrences(of: "PROBE", with: probe) },
            environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"])
        request.standardOutput = .descriptor(writer.rawValue)
        process = try request.spawn()
        try writer.close()
    }

    /// The next line; nil: the process has closed its output.
    func nextLine() throws -> String? {
        while true {
            if let end = rest.firstIndex(of: 10) {
                let line = String(decoding: rest[..<end], as: UTF8.self)
                rest.removeSubrange(...end)
                return line
            }
            guard try output.read(into: &chunk, count: 4096) > 0 else { return nil }
            rest += chunk
        }
    }

    /// Ends it at once, as a crash would.
    func kill() throws { try ProcessControl.send(.kill, to: process) }

    /// Waits for its end, at most a minute.
    func waitUntilExit() throws -> ProcessExit? {
        let descriptor = try ProcessControl.exitDescriptor(of: process)
        _ = try descriptor.waitReadable(upTo: .seconds(60))
        return try ProcessControl.reap(process)
    }
}
