//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Platform
import Testing

extension Shows {
    /// Short runs of the two scripts that hurt Gantry from outside; the long ones are for people.
    @Suite("Chaos and attacks", .serialized, .timeLimit(.minutes(10)))
    struct ChaosTests {
        @Test("half a minute of kills, stops, broken links and a full disk breaks no promise")
        func chaos() async throws {
            let site = try Site()
            var arguments = ["--seconds", "30", "--short", "--gantry", Site.gantry, "--worker-program", Site.programs + "/ChaosWorker"]
            if ProcessControl.userID != 0 { arguments.append("--no-disk") }
            let verdict = try await site.end(of: site.start(program: Checkout.script("chaos"), arguments))
            #expect(verdict.code == 0, "\(verdict.output) \(verdict.errors)")
            let result = try verdict.json()
            #expect((result["accepted"] as? Int ?? 0) > 100)
            #expect(!(result["faults"] as? [String: Int] ?? [:]).isEmpty)
        }

        @Test(
            "attacks that once ended or stopped the front are withstood",
            arguments: ["3.1", "3.2", "3.6", "3.9", "rubbish", "mutants"])
        func attack(_ number: String) async throws {
            let site = try Site()
            let verdict = try await site.end(
                of: site.start(
                    program: Checkout.script("attack"), ["--quick", "--patient", "--only", number, "--gantry", Site.gantry, "--json"]))
            #expect(verdict.code == 0, "\(verdict.lines.joined()) \(verdict.errors)")
        }
    }

    /// Files of the checkout.
    private enum Checkout {
        static func script(_ name: String) -> String {
            URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
                .appendingPathComponent("Scripts/\(name)").path
        }
    }
}
