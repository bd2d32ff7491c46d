//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import FrontCore
import FrontService
import Logging
import Model
import Settings
import StateJSON
import Wire

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

    @OptionGroup var places: PlaceOptions
    @Flag(name: .long, help: "Listen at 127.0.0.1:7701-7704 instead of sockets in the data folder.")
    var tcp = false
    @Option(name: .long, help: "full: accepted jobs survive a power cut and the end of the front. memory: neither.")
    var durability = DurabilityOption.full
    @Option(name: .long, help: .hidden)
    var sampleOriginPort: Int?
    @OptionGroup var readiness: ReadinessOptions

    enum DurabilityOption: String, ExpressibleByArgument, CaseIterable {
        case full, memory
    }

    func run() async throws {
        try readiness.tieToParent()
        let effective = try places.load(tcp: tcp, sampleOriginPort: sampleOriginPort, read: readiness.configuration())
        if !readiness.isChild { for notice in effective.notices { readiness.notice(notice) } }
        var settings = FrontServiceSettings(folder: effective.data.path, endpoints: FrontEndpoints(effective.endpoints))
        settings.feeds = effective.configuration.definitions
        settings.startedWith = effective.source.json.text
        settings.durability = durability == .memory ? .memory : .full
        settings.version = GantryCommand.configuration.version
        if tcp { settings.token = try RunToken.ensure(in: effective.data.path).shared }
        settings.onNotice = { ErrorLines.shared.append($0) }
        settings.onLoopNote = LoopNoteLog.sink(Logger(label: "gantry.front"))
        let service = try FrontService(settings: settings, codec: WireCodec())
        let process = ThreadedService(name: "front", body: { ready in try service.run { ready(ReadyLine($0)) } }, stop: { service.stop() })
        try await process.runUntilSignalled(notice: readiness.noticeUnlessChild) { line in
            readiness.noticeUnlessChild("ready: data folder \(effective.data.path)\(tcp ? ", \(effective.endpoints.requests)" : "")")
            readiness.announce(line)
        }
    }
}
