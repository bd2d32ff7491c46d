//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// What is made from the wire contract is of today's contract.
    @Suite("What is made from the contract", .serialized, .timeLimit(.minutes(10)))
    struct ContractTests {
        private let scenario: Scenario
        private let copy: URL

        init() throws {
            scenario = try Scenario()
            copy = URL(fileURLWithPath: scenario.folder + "/copy")
            let modules = [
                "GantryWireMessages", "GantryModel/Entries", "GantryModel/Failure", "GantryModel/Feeds", "GantryModel/Jobs",
                "GantryWire/Entries", "FrontCore/Entries",
            ]
            let made = modules.map { "Sources/\($0)/Generated" } + ["Tests/Simulation/Checking/Generated"]
            for folder in ["Protocol", "Scripts"] + made {
                let place = copy.appendingPathComponent(folder)
                try FileManager.default.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
                try FileManager.default.copyItem(at: CheckoutFolder.file(folder), to: place)
            }
        }

        private func check(_ script: String) async throws -> Answer {
            try await scenario.end(of: scenario.start(program: copy.appendingPathComponent("Scripts/" + script).path, ["--check"]))
        }

        private func replace(_ old: String, by new: String, in path: String) throws {
            let file = copy.appendingPathComponent(path)
            let text = try String(contentsOf: file, encoding: .utf8)
            try #require(text.contains(old), "\(path) has no \(old)")
            try Data(text.replacing(old, with: new).utf8).write(to: file)
        }

        @Test("the tables of the protocol document, the generated Swift, the golden bytes, and lists and sets are what the contract gives")
        func current() async throws {
            for script in ["tables", "golden", "entries", "sets"] {
                let answered = try await check(script)
                #expect(answered.code == 0, "\(script): \(answered.errors)")
            }
        }

        @Test("a changed comment, a changed row and golden bytes of another text are noticed, each with the command that makes it good")
        func changed() async throws {
            try replace("Which jobs to list.", by: "The jobs to list.", in: "Protocol/gantry.proto")
            var answered = try await check("tables")
            #expect(
                answered.code == 1 && answered.errors.contains("gantry.pb.swift is not of this Protocol/gantry.proto: run Scripts/generate")
            )
            #expect(answered.errors.contains("is not what Protocol/gantry.proto gives: run Scripts/tables"))
            #expect(!answered.errors.contains("journal.pb.swift"))

            try replace("The jobs to list.", by: "Which jobs to list.", in: "Protocol/gantry.proto")
            try replace("| 1 | `topic` | `string` |", by: "| 1 | `topic` | `bytes` |", in: "Protocol/PROTOCOL.md")
            answered = try await check("tables")
            #expect(
                answered.code == 1 && !answered.errors.contains("pb.swift") && answered.errors.contains("run Scripts/tables"),
                "\(answered.errors)")

            try replace("// `busy`: A bound", by: "// `busy`: Some bound", in: "Protocol/gantry.proto")
            answered = try await check("sets")
            #expect(answered.code == 1 && answered.errors.contains("FailureCode+Known.swift is not what Protocol/gantry.proto gives"))

            try replace("ascending: true", by: "ascending: false", in: "Protocol/golden/item-view.txtpb")
            answered = try await check("golden")
            #expect(answered.code == 1 && answered.errors.contains("item-view.bin is not what item-view.txtpb gives: run Scripts/golden"))

            try replace("LOAD_CAUSE_ASKED = 0;", by: "LOAD_CAUSE_WANTED = 0;", in: "Protocol/gantry.proto")
            answered = try await check("sets")
            #expect(
                answered.code == 1
                    && answered.errors.contains("LoadCause.swift is not what Protocol/gantry.proto gives: run Scripts/generate"))

            try replace("ViewForgotten view_forgotten", by: "ViewForgotten view_gone", in: "Protocol/journal.proto")
            answered = try await check("entries")
            #expect(answered.code == 1 && answered.errors.contains("is not what Protocol/journal.proto gives: run Scripts/generate"))
        }

        @Test(
            "a changed word of a table inside another section is noticed",
            arguments: [
                ("| `detach` | `done` |", "| `detach` | `accepted` |"), ("| `busy` | A bound", "| `busy` | Some bound"),
                ("| `front` | `front`: `FrontSummary` |", "| `front` | `front`: `JobSummary` |"),
                ("| running | cancelling | somebody cancels it |\n", ""), ("| topic | items |", "| topic | keys |"),
            ])
        func tables(old: String, new: String) async throws {
            try replace(old, by: new, in: "Protocol/PROTOCOL.md")
            let answered = try await check("tables")
            #expect(answered.code == 1 && answered.errors.hasPrefix("tables: Protocol/PROTOCOL.md"), "\(answered.errors)")
        }

        @Test(
            "a declaration that would make no row is refused with its line",
            arguments: [
                ("  string topic = 1; // The", "  string topic = 1;\n  // The", "nothing says what it means"),
                ("  reserved 3; // `started`:", "  reserved 3; // started:", "a reserved word is written"),
                ("  reserved 3; // `started`:", "  reserved 3; // `ended`:", "a reserved word that is in use"),
                ("// Names a topic.\n", "", "nothing says what it is"), ("// ---- pages", "// ---- sheets", "a part without a section"),
                ("    // Replies: `done` with the version of the last content.\n", "", "the request `reset` has no line \"Replies:\""),
                ("    // Answered as: `load`.\n", "", "the request `refresh` has no line \"Replies:\""),
                ("    // Answered as: `load`.", "    // Answered as: `loads`.", "the request `refresh` is answered as none"),
                ("Refused with: `unknownItem` where there is", "Refused with: `unknownPause` where there is", "there is no `unknownPause`"),
                ("    // Replies: `selected`.", "    // Replies: `done`.", "no request has the reply `selected`"),
                ("  string topic = 1; // The", "  // Replies: `done`.\n  string topic = 1; // The", "a comment above it and one behind it"),
                ("// Key `front` of `front`.", "// The front.", "an item is written"),
                ("  // Moves to cancelled: the worker", "  // The worker", "a state has lines"),
                ("  // Moves to cancelled: the worker", "  // Moves to ended: the worker", "moves to `ended`, which is none"),
                ("// `busy`: A bound", "// `tooLarge`: A bound", "a code that is there already"),
            ])
        func refused(old: String, new: String, reason: String) async throws {
            try replace(old, by: new, in: "Protocol/gantry.proto")
            let answered = try await check("tables")
            #expect(
                answered.code == 1 && answered.errors.hasPrefix("tables: Protocol/gantry.proto:") && answered.errors.contains(reason),
                "\(answered.errors)")
        }
    }
}
