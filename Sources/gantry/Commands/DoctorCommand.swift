//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantrySettings
import StateFormatting

/// `gantry doctor`.
struct DoctorCommand: GantrySubcommand, PlacedCommand {
    static let configuration = CommandConfiguration(
        commandName: CommandFailure.doctorCommand,
        abstract: "Print the effective configuration and check what it needs.",
        discussion: """
            Changes nothing. Ends with 78 when the configuration is wrong, with 73 when the data folder cannot be written, with 3 \
            when the kernel does not end a process that hangs.

            Example: gantry doctor --output json
            """)

    @OptionGroup var places: PlaceOptions
    @Flag(name: .long, help: "Check for a front that listens at 127.0.0.1:7701-7704.")
    var tcp = false
    @OptionGroup var printing: OutputOptions

    func run() async throws {
        let asked = try places.load(tcp: tcp)
        let front = RunningFront(asked.data)
        // What a running front was started with counts, not what another start would find.
        var effective = front?.effective ?? asked
        // It is the same folder, for the front was found by it; `up` names it to its front by a flag.
        effective.data.origin = asked.data.origin
        let look = await front?.look(at: effective) ?? RunningFront.Look()
        let checks = DoctorCheck.all(of: effective, front, look, asked: asked)
        if printing.isJSON {
            try printing.line(DoctorReport(effective, checks).json.text)
        } else {
            for line in DoctorReport(effective, checks).lines() { try printing.line(line) }
        }
        if let worst = checks.compactMap(\.failure).first { throw worst }
    }
}
