//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryWorker
import Testing

@Suite("Typed loaders")
struct TypedLoaderTests {
    struct Repeat: TypedJob {
        struct Result: Codable, Equatable { var text: String }
        static let loaderName = "repeat"
        var word: String
        var count: Int
    }

    private let handler = JobHandler(for: Repeat.self, repeatable: .no) { job, context in
        context.report(JobProgress(percent: 50))
        return Repeat.Result(text: String(repeating: job.word, count: job.count))
    }

    private func run(_ argument: String) async throws -> LoaderResult {
        try await (handler as any Loader).run(
            JobContext(job: JobID(1), grantedAt: WallTime(milliseconds: 0), argument: Array(argument.utf8)))
    }

    @Test("a handler has the name of its kind of job, reads the argument and writes the result")
    func run() async throws {
        #expect(handler.name == "repeat" && handler.repeatable == .no)
        #expect(try await run(#"{"count":3,"word":"ab"}"#) == LoaderResult(text: #"{"text":"ababab"}"#))
    }

    @Test("bytes that do not fit fail the job as invalid data with the loader and the field, and the handler is not called")
    func invalidData() async {
        let handler = JobHandler(for: Repeat.self) { _, _ in
            Issue.record("the handler was called")
            throw CancellationError()
        }
        let job = JobContext(job: JobID(1), grantedAt: WallTime(milliseconds: 0), argument: Array(#"{"word":"ab"}"#.utf8))
        let failure = await #expect(throws: LoaderFailure.self) { _ = try await handler.run(job) }
        #expect(failure?.code == .invalidData && failure?.retryable == false)
        #expect(failure?.arguments == ["loader", "repeat", "field", "count"])
        let text =
            #"the argument of a job of repeat does not fit: field "count" is missing: submit JSON with the fields that loader repeat takes"#
        #expect(failure?.text == text)
    }

    @Test("a result over 64 KiB fails the job as too large")
    func tooLarge() async {
        let failure = await #expect(throws: LoaderFailure.self) { try await run(#"{"count":70000,"word":"a"}"#) }
        #expect(failure?.code == .tooLarge)
        #expect(failure?.text.hasPrefix("the result of a job of repeat has 70011 bytes (limit 65536): put what is large into") == true)
    }
}
