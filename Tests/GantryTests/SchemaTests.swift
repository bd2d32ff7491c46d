//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryModel
import StateFormatting
import TestSupport
import Testing

@testable import gantry

@Suite("JSON schemas")
struct SchemaTests {
    private let folder = SchemaFolder()
    private let all = StateSchemas.all + [FrontStatus.shape, ErrorReport.shape, CachedObject.shape, CachedObjects.shape, ShownAudit.shape]

    /// What differs between shapes and files.
    private func differences(_ shapes: [any NamedSchema], _ files: [String: String]) -> [String] {
        let made = Dictionary(shapes.map { ($0.name, $0.schema) }) { first, _ in first + "\n" }
        return Set(made.keys).union(files.keys).sorted().compactMap { name -> String? in
            guard let schema = made[name] else { return "\(name).json has no shape" }
            guard let file = files[name] else { return "\(name).json is missing" }
            return schema == file ? nil : "\(name).json is not what its shape gives"
        }
    }

    @Test("each file is what its shape gives, each shape has one (GANTRY_WRITE_SCHEMAS=1 writes them)")
    func files() throws {
        if ProcessInfo.processInfo.environment["GANTRY_WRITE_SCHEMAS"] == "1" {
            for shape in all { try folder.write(shape.schema, as: shape.name) }
        }
        #expect(try differences(all, folder.texts()) == [])
        #expect(all.count > 20)
    }

    @Test("a shape that changed, one without a file, two of one name and a file without a shape are noticed")
    func injected() throws {
        let files = try folder.texts()
        let other = JSONShape<String>("sort", "Something else.", [.always("field", .text, "The field.") { $0 }])
        #expect(differences(all.filter { $0.name != "sort" } + [other], files) == ["sort.json is not what its shape gives"])
        #expect(differences(all + [other], files) == ["sort.json is not what its shape gives"])
        #expect(differences(all, files.filter { $0.key != "job" }) == ["job.json is missing"])
        #expect(differences(all.filter { $0.name != "view" }, files) == ["view.json has no shape"])
    }

    @Test("what status and errors print fits their schemas, full and empty, and a schema's fields are the printed ones in their order")
    func printed() throws {
        let front = FrontSummary(
            front: FrontID(1), epoch: Epoch(1), startedAt: WallTime(milliseconds: 0), version: "0", durability: .full)
        var counts = JobCounts()
        var status = FrontStatus(front: front, counts: counts, workers: [], freeByteCount: nil)
        #expect(try folder.faults(of: status.json.text, by: "status") == [])
        (counts.oldestWaiting, counts.failures) = (WallTime(milliseconds: 1), [FailureCount(.timedOut, 2)])
        counts.unoffered = [LoaderCount("a", 1)]
        let states = WorkerSummary.State.known
        let workers = states.map { state in
            var worker = WorkerSummary(id: WorkerID(1), name: "a", slots: 4)
            worker.state = state
            return worker
        }
        let pause = Pause(.worker("a"), by: "", reason: "", since: WallTime(milliseconds: 0))
        status = FrontStatus(front: front, counts: counts, workers: workers, pauses: [pause], freeByteCount: nil)
        #expect(try folder.faults(of: status.json.text, by: "status") == [])

        var failure = CommandFailure(.failed, code: .timedOut, message: "a \"b\"")
        #expect(ErrorReport.json(failure) == #"{"error":{"code":"timedOut","message":"a \"b\"","retryable":false}}"#)
        #expect(try folder.faults(of: ErrorReport.json(failure), by: "error") == [])
        failure = CommandFailure(
            .failed, code: .init(rawValue: "c"), message: "m", nextStep: "n", isRetryable: true, context: ["job": "7", "feed": "items"])
        #expect(try folder.faults(of: ErrorReport.json(failure), by: "error") == [])
        #expect(
            ErrorReport.json(failure)
                == #"{"error":{"code":"c","context":{"feed":"items","job":"7"},"message":"m","nextStep":"n","retryable":true}}"#)
    }
}
