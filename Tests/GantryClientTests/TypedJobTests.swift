//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Synchronization
import Testing

@testable import GantryClient

@Suite("Typed jobs", .timeLimit(.minutes(5)))
struct TypedJobTests {
    struct Resize: TypedJob, Equatable {
        struct Result: Codable, Equatable { var byteCount: Int }
        static let loaderName = "resize"
        var width: Double
        var path = ""
    }

    private func withClient(_ body: (ScriptedFront, GantryClient) async throws -> Void) async throws {
        let front = try ScriptedFront()
        try front.start()
        let client = try await front.client()
        try await body(front, client)
        await client.close()
        await front.stop()
    }

    private func ended(_ state: JobState, _ change: (inout JobSummary) -> Void = { _ in }) -> JobSummary {
        var summary = JobSummary(id: JobID(100), loader: "resize", state: state, acceptedAt: WallTime(milliseconds: 1))
        change(&summary)
        return summary
    }

    @Test("a run sends JSON and gives the result decoded")
    func run() async throws {
        try await withClient { front, client in
            let seen = Mutex<[String]>([])
            front.script.withLock {
                $0.outcome = { argument in
                    seen.withLock { $0.append(String(decoding: argument, as: UTF8.self)) }
                    return (.succeeded, Array(#"{"byteCount":7}"#.utf8))
                }
            }
            let result = try await client.run(Resize(width: 1.5))
            #expect(result == Resize.Result(byteCount: 7))
            #expect(seen.withLock { $0 } == [#"{"path":"","width":1.5}"#])
        }
    }

    @Test("a result that does not fit is an error with the job and the field")
    func unreadableResult() async throws {
        try await withClient { front, client in
            front.script.withLock { $0.outcome = { _ in (.succeeded, Array(#"{"byteCount":"7"}"#.utf8)) } }
            let error = await #expect(throws: ClientError.self) { try await client.run(Resize(width: 1)) }
            #expect(error?.code == ClientErrorCode(.invalidData))
            #expect(
                error?.context
                    == #"job 100 succeeded, but the result of a job of resize does not fit: field "byteCount" is not a whole number"#)
            #expect(error?.nextStep == "let the program and the worker share one version of the job's type")
        }
    }

    @Test("a job that failed throws its failure with its number, one that was cancelled is not taken for a cancelled caller")
    func failed() async throws {
        try await withClient { front, client in
            let failed = ended(.failed) { $0.failure = Failure(code: .unreachable, text: "no such host", retryable: true) }
            let cancelled = ended(.cancelled)
            front.script.withLock { script in
                script.outcome = { _ in (.failed, []) }
                script.reply = { _ in .explanation(JobExplanation(job: failed)) }
            }
            let error = await #expect(throws: ClientError.self) { try await client.run(Resize(width: 1)) }
            #expect(error?.code == ClientErrorCode(.unreachable) && error?.isRetryable == true)
            #expect(error?.context == "job 100 failed: no such host")
            front.script.withLock { script in
                script.outcome = { _ in (.cancelled, []) }
                script.reply = { _ in .explanation(JobExplanation(job: cancelled)) }
            }
            let ended = await #expect(throws: ClientError.self) { try await client.run(Resize(width: 1)) }
            #expect(ended?.code == .jobCancelled)
        }
    }

    @Test("what cannot travel is refused before anything is sent: over 64 KiB, and numbers that JSON does not have")
    func refused() async throws {
        try await withClient { front, client in
            let before = front.script.withLock { $0.nextJob }
            let large = Resize(width: 1, path: String(repeating: "x", count: 70_000))
            let error = await #expect(throws: ClientError.self) { try await client.submit([Resize(width: 1), large]) }
            #expect(error?.code == .tooLarge)
            #expect(error?.context == "the argument of a job of resize has 70021 bytes (limit 65536)")
            let none = await #expect(throws: ClientError.self) { try await client.run(Resize(width: .infinity)) }
            #expect(none?.code == .invalidInput && none?.context.contains(#"field "width""#) == true)
            #expect(front.script.withLock { $0.nextJob } == before)
        }
    }

    @Test("several are submitted at once, and each id gives its result later, also one that was stored as a number")
    func later() async throws {
        try await withClient { front, client in
            let jobs = try await client.submit([Resize(width: 1), Resize(width: 2)], options: JobOptions(priority: 7))
            #expect(jobs == [TypedJobID(JobID(100)), TypedJobID(JobID(101))])
            let done = ended(.succeeded) { $0.result = Array(#"{"byteCount":9}"#.utf8) }
            front.put("job", .job(done), of: .job(JobID(100)))
            let result = try await client.result(of: jobs[0])
            let again = try await client.result(of: TypedJobID<Resize>(JobID(100)))
            #expect(result.byteCount == 9 && again == result)
        }
    }

    @Test("a job of another loader is refused by name")
    func otherLoader() async throws {
        try await withClient { front, client in
            front.put("job", .job(ended(.succeeded) { $0.loader = "greet" }), of: .job(JobID(100)))
            let error = await #expect(throws: ClientError.self) { try await client.result(of: TypedJobID<Resize>(JobID(100))) }
            #expect(error?.code == .invalidInput)
            #expect(error?.context == "job 100 is one of loader greet, not of resize")
        }
    }
}
