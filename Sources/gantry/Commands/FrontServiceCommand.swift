//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import FrontCore
import FrontService
import GantryModel
import GantryPlatform
import GantrySettings
import GantryWire
import GantryWorker
import Logging
import ServiceLifecycle
import StateFormatting

/// `gantry front`.
struct FrontServiceCommand: AsyncParsableCommand, PlacedCommand {
    static let configuration = CommandConfiguration(
        commandName: FolderHolder.commandName,
        abstract: "Run the front: it decides, keeps the journal and publishes changes.",
        discussion: """
            Ends on SIGTERM or Ctrl-C after the turn that is under way, on a second one at once; with durability full nothing accepted is \
            lost, also by kill -9.

            Example: gantry front --data /tmp/gantry-demo --durability full
            """)

    @OptionGroup var options: FrontServiceOptions
    @OptionGroup var readiness: ReadinessOptions

    var places: PlaceOptions { options.places }

    func run() async throws {
        try readiness.tieToParent()
        let effective = try options.load(read: readiness.configuration())
        if !readiness.isChild { for notice in effective.notices { readiness.notice(notice) } }
        var settings = FrontServiceSettings(folder: effective.data.path, endpoints: FrontEndpoints(effective.endpoints))
        settings.feeds = effective.configuration.definitions
        settings.flow = effective.configuration.flow
        settings.retention = effective.configuration.retention
        settings.startedWith = effective.source.json.text
        settings.durability = options.durability == .memory ? .memory : .full
        settings.version = GantryCommand.configuration.version
        if options.tcp { settings.token = try RunToken.ensure(in: effective.data.path).shared }
        settings.onNotice = { ErrorLines.shared.append(folding: $0) }
        settings.onLoopNote = LoopNoteLog.sink(Logger(label: "gantry.front"))
        let service = try FrontService(settings: settings, codec: WireCodec())
        let process = ThreadedService(name: "front", body: { ready in try service.run { ready(ReadyLine($0)) } }, stop: { service.stop() })
        try await process.runUntilSignaled(notice: readiness.noticeUnlessChild) { line in
            readiness.noticeUnlessChild(
                "ready: data folder \(effective.data.path)\(options.tcp ? ", \(effective.endpoints.requests)" : "")")
            readiness.announce(line)
        }
    }
}

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

extension FrontEndpoints {
    /// The addresses that the configuration resolved.
    init(_ endpoints: Endpoints) {
        self.init(requests: endpoints.requests, changes: endpoints.changes, workers: endpoints.workers, pages: endpoints.pages)
    }
}

/// A service whose loop takes a thread of its own, ended by SIGTERM or Ctrl-C.
struct ThreadedService: Service {
    let name: String
    /// Runs until `stop`, calling its argument once it serves.
    let body: @Sendable (_ ready: @escaping @Sendable (ReadyLine) -> Void) throws -> Void
    let stop: @Sendable () -> Void
    private var onReady: @Sendable (ReadyLine) -> Void = { _ in }

    init(
        name: String, body: @escaping @Sendable (_ ready: @escaping @Sendable (ReadyLine) -> Void) throws -> Void,
        stop: @escaping @Sendable () -> Void
    ) {
        (self.name, self.body, self.stop) = (name, body, stop)
    }

    func run() async throws {
        let (body, onReady, name) = (body, onReady, name)
        try await withGracefulShutdownHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                do {
                    _ = try startThread(name: name, stackSize: 8 << 20) {
                        continuation.resume(with: Result { try body(onReady) })
                    }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        } onGracefulShutdown: {
            stop()
        }
    }

    /// Runs it until it ends by itself or the process is told to end; a second signal ends it at once.
    func runUntilSignaled(
        notice: @escaping @Sendable (String) -> Void, ready: @escaping @Sendable (ReadyLine) -> Void
    ) async throws {
        var service = self
        service.onReady = ready
        try await SignaledService(
            service: service, name: name, stopNotice: "ending after the turn under way; Ctrl-C again ends it at once", notice: notice
        ).run()
    }
}
