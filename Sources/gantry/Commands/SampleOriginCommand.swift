//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantrySettings
import GantryWorker
import SampleOrigin

/// `gantry sample-origin`.
struct SampleOriginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sample-origin",
        abstract: "Run the sample origin: an HTTP server of items, products, todos and images, with faults on request.",
        discussion: """
            GET /items?parameter=sample&count=100, /products, /todos, /images/7, /counters; PUT /faults, DELETE /faults.

            A fault is JSON with these keys:
            \(Fault.help)

            Example: gantry sample-origin --port 7711
            """)

    @Option(name: .long, parsing: .unconditional, help: "The port on 127.0.0.1; 0 chooses one and prints it.")
    var port = BuiltInSample.port
    @OptionGroup var readiness: ReadinessOptions

    func validate() throws { try Self.check("--port", port, 0...65_535) }

    func run() async throws {
        try readiness.tieToParent()
        let readiness = readiness
        let asked = port
        let server = OriginServer(OriginConfiguration(port: port)) { port in
            readiness.notice("sample-origin: http://127.0.0.1:\(port)")
            readiness.announce(ReadyLine(sampleOriginPort: port))
        }
        do {
            try await SignaledService(
                service: server, name: "sample-origin", stopNotice: "ending after the answers under way; Ctrl-C again ends it at once",
                notice: readiness.noticeUnlessChild
            ).run()
        } catch let error as OriginError where error.code == .portTaken {
            let option = readiness.isChild ? "--sample-origin-port" : "--port"
            let leaveOut = readiness.isChild ? ", or leave the origin out with --without sample-origin" : ""
            throw CommandFailure(
                .conflict, code: .addressInUse, message: "the origin cannot listen at 127.0.0.1:\(asked): the port is taken",
                nextStep: "stop what uses the port, or choose another with \(option), 0 for a free one\(leaveOut)")
        }
    }
}
