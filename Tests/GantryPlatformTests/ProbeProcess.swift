//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform

/// The probe, running. It ends with its standard input, so also with the test process.
struct ProbeProcess: ~Copyable {
    let process: ProcessID
    let reports: OwnedDescriptor
    let input: OwnedDescriptor
    let end: OwnedDescriptor

    /// - Parameter isFirst: whether it is process 1 of a PID namespace of its own.
    init(_ command: String, isFirst: Bool = false, inherited: [InheritedDescriptor] = []) throws {
        try ProcessControl.ignoreBrokenPipes()
        var reportPipe = try PipePair()
        var inputPipe = try PipePair()
        let reportEnd = reportPipe.takeWriter()
        let inputEnd = inputPipe.takeReader()
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let folder = URL(fileURLWithPath: tests).deletingLastPathComponent().path
        let line = (isFirst ? ["/usr/bin/unshare", "--pid", "--fork", "--kill-child"] : []) + ["\(folder)/PlatformProbe", command]
        var request = SpawnRequest(executable: line[0], arguments: Array(line.dropFirst()))
        request.standardInput = .descriptor(inputEnd.rawValue)
        request.inherited = [InheritedDescriptor(parentNumber: reportEnd.rawValue, childNumber: 3)] + inherited
        let process = try request.spawn()
        end = try ProcessControl.exitDescriptor(of: process)
        self.process = process
        reports = reportPipe.takeReader()
        input = inputPipe.takeWriter()
    }

    /// The next line or lines of the report.
    func report() throws -> String {
        guard try reports.waitReadable(upTo: gracePeriod) else { return "(no report)" }
        var bytes: [UInt8] = []
        try reports.read(into: &bytes, count: 4_096)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The next lines of the report, up to the one given or until no more come.
    func report(through last: String) throws -> String {
        var text = ""
        while !text.hasSuffix(last + "\n"), !text.hasSuffix("(no report)") { text += try report() }
        return text
    }

    /// How it ended; nil if it never does.
    func exit() throws -> ProcessExit? {
        guard try end.waitReadable(upTo: gracePeriod) else { return nil }
        return try ProcessControl.reap(process)
    }
}

/// The longest a test waits for something that must come; only a hung test ever reaches it.
let gracePeriod: Duration = .seconds(20)
