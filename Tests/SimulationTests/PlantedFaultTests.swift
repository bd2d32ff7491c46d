//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import Simulation
import Testing

@Suite("Planted mistakes")
struct PlantedFaultTests {
    @Test("each is noticed by the standard seeds, as the promise that it breaks", arguments: PlantedFault.allCases)
    func noticed(_ fault: PlantedFault) async throws {
        let (status, lines) = try await SeedLine.run(["--plant", fault.rawValue])
        #expect(status == 0)
        let noticed = try #require(lines.first { $0.invariant != nil }, "none of the \(lines.count) seeds notices \(fault)")
        #expect(Self.broken(by: fault).contains(noticed.invariant ?? ""), "seed \(noticed.seed): \(noticed.violation ?? "")")
    }

    /// The promises that a mistake may break.
    private static func broken(by fault: PlantedFault) -> Set<String> {
        switch fault {
        case .sendBeforeCommit: ["nothing is sent before it is durable"]
        case .leaseNotChecked:
            ["a job never runs twice at the same time", "no late result is applied", "what must not be repeated runs once"]
        case .renewalsReadAfterDeadlines: ["a worker that renewed in time is not given up"]
        case .slotFreedAtCancel:
            [
                "a job whose end is told runs no more", "a job never runs twice at the same time", "one key, one load",
                "the slots of a worker are never exceeded",
            ]
        case .replyNotKept: ["a request is carried out once"]
        case .beatLeftOut: ["everything ends after the faults stop"]
        }
    }
}
