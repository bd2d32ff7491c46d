//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Foundation
import FrontService
import GantryAuditRecord
import GantryModel
import GantryPlatform
import GantrySettings
import GantryWorker

/// `gantry up`.
struct UpCommand: AsyncParsableCommand, PlacedCommand {
    static let configuration = CommandConfiguration(
        commandName: "up",
        abstract: "Run front, workers and the sample origin in one terminal.",
        discussion: """
            A process that dies is restarted, with the configuration that up has read at its start; a worker that drains is not. \
            Ctrl-C gives running jobs \(UpMachine.grace.components.seconds) s to end, then stops them: \
            \(Worker.stoppedJobs). A second one ends all at once.

            Example: gantry up --workers 2 --slots 4
            """)

    @OptionGroup var places: PlaceOptions
    @Flag(name: .long, help: "Listen at 127.0.0.1:7701-7704 instead of sockets in the data folder.")
    var tcp = false
    @Option(name: .long, parsing: .unconditional, help: "How many workers; default: workers in the configuration.")
    var workers: Int?
    @Option(
        name: .long, parsing: .unconditional, help: "How many jobs each worker runs at once, 1 to 64; default: slots in the configuration.")
    var slots: Int?
    @Option(
        name: .long, help: "Memory of all loads and sorts of each worker, for example 256MiB.",
        transform: { try MemorySize(argument: $0) })
    var memory: MemorySize?
    @Option(name: .long, help: "Parts to leave out, separated by commas: sample-origin.")
    var without: String?
    @Option(name: .long, help: "full: accepted jobs survive a power cut and the end of the front. memory: neither.")
    var durability = DurabilityOption.full
    @Option(name: .long, parsing: .unconditional, help: "The sample origin's port, 0 chooses one; default: 7711 if the file names it.")
    var sampleOriginPort: Int?
    @OptionGroup var readiness: ReadinessOptions

    func validate() throws {
        try Self.check("--sample-origin-port", sampleOriginPort, 0...65_535)
        try Self.check("--workers", workers, 1...256)
        try Self.check("--slots", slots, 1...MessageBounds.slots)
        guard Set(left).isSubset(of: ["sample-origin"]) else { throw ValidationError("--without takes: sample-origin") }
        guard !left.contains("sample-origin") || sampleOriginPort != 0 else {
            throw ValidationError("--sample-origin-port 0 lets the origin of up choose: without it, name the port of yours")
        }
    }

    func run() async throws {
        try readiness.tieToParent()
        // One that is not chosen yet changes nothing that is needed here.
        let effective = try places.load(tcp: tcp, sampleOriginPort: sampleOriginPort == 0 ? nil : sampleOriginPort)
        for notice in effective.notices { readiness.notice(notice) }
        // The part that starts first would only find its port taken.
        try FrontFolder.checkFree(effective.data.path)
        let hasSampleOrigin = !left.contains("sample-origin") && (sampleOriginPort != nil || effective.namesSampleOrigin)
        let (readiness, port, words) = (readiness, SampleOriginPort(sampleOriginPort ?? BuiltInSample.port), places.words)
        let parts = plans(effective, try SharedConfiguration(effective.source), hasSampleOrigin: hasSampleOrigin)
        try await Supervisor(parts: parts, sampleOriginPort: port, report: { readiness.notice($0) }).run {
            let next = AdvisedCommand.placing(words, in: "gantry status")
            readiness.notice("ready: data folder \(effective.data.path); next, in another terminal: \(next)")
            readiness.announce(ReadyLine(dataFolder: effective.data.path, sampleOriginPort: hasSampleOrigin ? port.value : nil))
        }
    }

    private var left: [String] { (without ?? "").split(separator: ",").map(String.init) }

    private func plans(_ effective: EffectiveConfiguration, _ shared: SharedConfiguration, hasSampleOrigin: Bool) -> [ChildPlan] {
        let common = ["--data", effective.data.path] + (effective.file.map { ["--config", $0] } ?? []) + (tcp ? ["--tcp"] : [])
        let ends = EndRecorder(folder: effective.data.audit, role: .up)
        func part(_ name: String, _ stage: PartStage, _ arguments: [String]) -> ChildPlan {
            ChildPlan(name: name, stage: stage, configuration: shared, ends: stage == .workers ? ends : nil) {
                arguments + common + ["--sample-origin-port", String($0)]
            }
        }
        var parts = hasSampleOrigin ? [ChildPlan(name: "sample-origin", stage: .origin) { ["sample-origin", "--port", String($0)] }] : []
        parts.append(part("front", .front, ["front", "--durability", durability.rawValue]))
        let shares = (slots.map { ["--slots", String($0)] } ?? []) + (memory.map { ["--memory", $0.description] } ?? [])
        for number in 1...(workers ?? effective.configuration.workers) {
            parts.append(part("worker-\(number)", .workers, ["worker", "run", "--name", "worker-\(number)"] + shares))
        }
        return parts
    }
}
