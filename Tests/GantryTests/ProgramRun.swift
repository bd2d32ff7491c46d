//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import TestSupport

/// One run of the program beside the test program, in an empty home.
struct ProgramRun {
    let output: String
    let errors: String
    let exit: ProcessExit?

    /// The program.
    static var path: String {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().appendingPathComponent("gantry").path
    }

    init(_ arguments: [String], environment: [String: String] = [:]) throws {
        let folder = try TemporaryFolder()
        let home = folder.path
        // Errors go to a file: two pipes would have to be read at once.
        let errorFile = try OwnedDescriptor(path: home + "/errors", options: [.read, .write, .create], mode: 0o600)
        var pipe = try PipePair()
        let reader = pipe.takeReader()
        let writer = pipe.takeWriter()
        var request = SpawnRequest(
            executable: Self.path, arguments: arguments,
            environment: environment.merging(["HOME": home]) { given, _ in given }.merging(ActiveMutant.environment) { given, _ in given }
        )
        request.workingFolder = home
        request.standardOutput = .descriptor(writer.rawValue)
        request.standardError = .descriptor(errorFile.rawValue)
        let process = try request.spawn()
        try writer.close()
        var chunk: [UInt8] = []
        var bytes: [UInt8] = []
        while try reader.read(into: &chunk, count: 65_536) > 0 { bytes += chunk }
        _ = try ProcessControl.exitDescriptor(of: process).waitReadable(upTo: .seconds(60))
        exit = try ProcessControl.reap(process)
        output = String(decoding: bytes, as: UTF8.self)
        errors = try String(contentsOfFile: home + "/errors", encoding: .utf8)
    }
}
