//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Synchronization
import TestSupport
import Testing

/// A folder of its own with a home, a data folder and the program, removed with the object.
final class Scenario: Sendable {
    private let temporary: TemporaryFolder
    var folder: String { temporary.path }
    /// Whom gantry runs as; nil: who runs the tests.
    let user: UInt32?
    private let count = Mutex(0)

    /// The folder of the built programs.
    static let programs = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
    static let gantry = programs + "/gantry"

    init(user: UInt32? = nil) throws {
        self.user = user
        temporary = try TemporaryFolder(permissions: 0o755)
        if let user {
            try FileManager.default.setAttributes([.ownerAccountID: user, .groupOwnerAccountID: user], ofItemAtPath: folder)
        }
        try ProcessControl.ignoreBrokenPipes()
    }

    /// What stands before a command so that it runs as `user`, with nothing left of root's powers.
    var prefix: [String] {
        user.map { ["/usr/bin/setpriv", "--reuid=\($0)", "--regid=\($0)", "--clear-groups", "--no-new-privs", "--inh-caps=-all"] } ?? []
    }

    var data: String { folder + "/data" }

    var environment: [String: String] {
        ["HOME": folder, "GANTRY_DATA": data, "PATH": Self.programs + ":/usr/sbin:/usr/bin:/sbin:/bin"]
            .merging(ActiveMutant.environment) { given, _ in given }
    }

    /// Writes a file into the folder, for example `gantry.yaml`.
    func write(_ name: String, _ text: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/" + name)) }

    /// Starts any program.
    func start(program: String, _ arguments: [String]) async throws -> Running {
        var request = SpawnRequest(executable: program, arguments: arguments, environment: environment)
        request.workingFolder = folder
        let number = count.withLock { count in
            count += 1
            return count
        }
        return try await Running.start(request, errorPath: "\(folder)/errors-\(number)")
    }

    /// Starts gantry.
    func start(_ arguments: String...) async throws -> Running { try await start(arguments) }

    private func start(_ arguments: [String]) async throws -> Running {
        // The worker of a scenario's own may not have registered yet.
        let isEarly = arguments.starts(with: ["job", "submit"]) && !arguments.contains("--any-loader")
        let command = prefix + [Self.gantry] + arguments + (isEarly ? ["--any-loader"] : [])
        return try await start(program: command[0], Array(command.dropFirst()))
    }

    /// Starts a part of gantry that says when it is ready, and waits for that.
    func serve(_ arguments: String...) async throws -> Running { try await serve(arguments).process }

    /// Starts a part of gantry and gives its ready line too.
    func serve(_ arguments: [String]) async throws -> (process: Running, ready: [String: Any]) {
        let tied = arguments + ["--ready-fd", "1", "--parent", String(ProcessControl.currentID)]
        let process = try await start(tied)
        let line = try await process.line("ready") { $0.contains("\"event\":\"ready\"") }
        return (process, try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:])
    }

    /// An origin of its own on a free port.
    func origin() async throws -> SampleOrigin {
        let (process, ready) = try await serve(["sample-origin", "--port", "0"])
        return SampleOrigin(port: ready["port"] as? Int ?? 0, process: process)
    }

    /// Front, two workers and an origin on a port that it chose.
    func up() async throws -> (process: Running, origin: SampleOrigin) {
        let (process, ready) = try await serve(["up", "--sample-origin-port", "0"])
        return (process, SampleOrigin(port: ready["port"] as? Int ?? 0))
    }

    /// A port that was free a moment ago.
    func freePort() async throws -> Int {
        let origin = try await origin()
        origin.process?.send(.terminate)
        _ = try await origin.process?.exit()
        return origin.port
    }

    /// Asks again until that is so.
    /// - Throws: `EndToEndError` where it does not become so.
    func settles(_ what: String, _ isSo: () async throws -> Bool) async throws {
        for _ in 0..<500 { if try await isSo() { return } }
        throw EndToEndError("\(what) did not come")
    }

    /// Runs gantry to its end, whatever it ends with.
    func run(_ arguments: [String]) async throws -> Answer { try await end(of: start(arguments)) }

    /// Runs gantry to its end, which must be that one.
    @discardableResult
    func gantry(_ arguments: String..., code: Int32 = 0, at location: SourceLocation = #_sourceLocation) async throws -> Answer {
        let answer = try await run(arguments)
        #expect(
            answer.code == code, "gantry \(arguments.joined(separator: " ")): \(answer.output) \(answer.errors)", sourceLocation: location)
        return answer
    }

    /// Waits for a process's end.
    func end(of process: Running) async throws -> Answer {
        var lines: [String] = []
        for await line in process.lines { lines.append(line) }
        let code: Int32
        switch try await process.exit() {
        case .exited(let number): code = number
        case .signaled(let signal): code = 128 + signal.rawValue
        }
        return Answer(lines: lines, errors: process.errors, code: code)
    }

    /// The number of the process that holds the front's lock.
    func frontProcess() throws -> ProcessID {
        let text = try String(contentsOfFile: data + "/front.lock", encoding: .utf8)
        guard let number = Int32(text.filter(\.isNumber)), let process = ProcessID(rawValue: number) else {
            throw EndToEndError("no front runs")
        }
        return process
    }
}
