//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Foundation
import Platform
import Settings

/// `gantry up`.
struct UpCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "up",
        abstract: "Run front, workers and the sample origin in one terminal.",
        discussion: """
            What dies is started again. Ctrl-C gives running jobs 5 seconds; a second Ctrl-C ends everything at once.

            Example: gantry up --workers 2 --slots 4
            """)

    @OptionGroup var places: PlaceOptions
    @Flag(name: .long, help: "Listen at 127.0.0.1:7701-7704 instead of sockets in the data folder.")
    var tcp = false
    @Option(name: .long, help: "How many workers. Else workers: of the file.")
    var workers: Int?
    @Option(name: .long, help: "How many jobs each worker runs at once. Else slots: of the file.")
    var slots: Int?
    @Option(name: .long, help: "Parts to leave out, separated by commas: origin.")
    var without: String?
    @Option(name: .long, help: "full or memory: what an acknowledgement means.")
    var durability = FrontServiceCommand.DurabilityOption.full
    @Option(name: .long, help: "The sample origin's port on 127.0.0.1, 0 chooses one; the built-in sample follows it.")
    var originPort = 7_711
    @OptionGroup var readiness: ReadinessOptions

    func run() async throws {
        guard (0...65_535).contains(originPort) else { throw ValidationError("--origin-port is 0 to 65535, not \(originPort)") }
        try readiness.tieToParent()
        // A port that is not chosen yet changes nothing that is needed here.
        let effective = try places.load(tcp: tcp, originPort: originPort == 0 ? nil : originPort)
        for notice in effective.notices { readiness.notice(notice) }
        let left = Set((without ?? "").split(separator: ",").map(String.init))
        guard left.isSubset(of: ["origin"]) else { throw ValidationError("--without takes: origin") }
        let hasOrigin = !left.contains("origin")
        guard hasOrigin || originPort != 0 else {
            throw ValidationError("--origin-port 0 lets the origin of up choose: without it, name the port of yours")
        }
        let (readiness, port) = (readiness, OriginPort(originPort))
        let parts = plans(effective, hasOrigin: hasOrigin)
        try await Supervisor(parts: parts, originPort: port, report: { readiness.notice($0) }).run {
            readiness.notice("ready: data folder \(effective.data.path)")
            readiness.announce(ReadyLine(dataFolder: effective.data.path, originPort: hasOrigin ? port.value : nil))
        }
    }

    /// The origin first: the others are told its port.
    private func plans(_ effective: EffectiveConfiguration, hasOrigin: Bool) -> [ChildPlan] {
        let common = ["--data", effective.data.path] + (effective.file.map { ["--config", $0] } ?? []) + (tcp ? ["--tcp"] : [])
        func part(_ name: String, _ arguments: [String]) -> ChildPlan {
            ChildPlan(name: name) { arguments + common + ["--origin-port", String($0)] }
        }
        var parts = hasOrigin ? [ChildPlan(name: "origin") { ["origin", "--port", String($0)] }] : []
        parts.append(part("front", ["front", "--durability", durability.rawValue]))
        let count = workers ?? effective.configuration.workers
        for number in 1...max(1, count) where count > 0 {
            let slots = slots.map { ["--slots", String($0)] } ?? []
            parts.append(part("worker-\(number)", ["worker", "--name", "worker-\(number)"] + slots))
        }
        return parts
    }
}
