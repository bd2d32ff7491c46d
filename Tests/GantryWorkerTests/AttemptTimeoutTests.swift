//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import Testing

@testable import GantryWorker

@Suite("Attempts that take too long")
struct AttemptTimeoutTests {
    /// A worker that runs a job whose attempt may take a second.
    private func running(_ loader: String = "sleep") -> (Bench, [WorkerAction]) {
        var bench = Bench.registered()
        let actions = bench.take(Bench.grant(loader, 5, timeout: 1_000), at: 0)
        return (bench, actions)
    }

    /// How the attempt is reported whose work ends so.
    private func report(of end: WorkEnd, _ bench: inout Bench, at time: Int64) -> (Outcome, Failure?)? {
        let actions = bench.on(.reported(.ended(WorkToken(1), end)), at: time) + bench.on(.turnEnds, at: time)
        for case .send(.ended(let ended)) in actions { return (ended.outcomes[0], ended.failures.first?.value) }
        return nil
    }

    @Test(
        "the loader is asked to stop when the time is over and not before, and told why; then the attempt has failed, and may be tried again"
    )
    func timesOut() throws {
        var (bench, _) = running()
        #expect(bench.machine.nextDeadline == Bench.time(1_000))
        #expect(!bench.on(.tick, at: 999).contains(.cancelWork(WorkToken(1), .timedOut)))
        #expect(bench.on(.tick, at: 1_000).contains(.cancelWork(WorkToken(1), .timedOut)))
        #expect(!bench.on(.tick, at: 1_001).contains(.cancelWork(WorkToken(1), .timedOut)))
        let (outcome, failure) = try #require(report(of: .cancelled, &bench, at: 1_100))
        #expect(outcome == .failed && failure?.code == .timedOut && failure?.retryable == true)
        #expect(failure?.text.hasPrefix("the attempt took longer than its time-out of 1 s") == true, "\(failure?.text ?? "")")
    }

    @Test("work that is done all the same has succeeded, and one that failed by itself says why")
    func endsItself() throws {
        var (bench, _) = running()
        _ = bench.on(.tick, at: 1_000)
        #expect(try #require(report(of: .succeeded([1], nil), &bench, at: 1_001)).0 == .succeeded)
        (bench, _) = running()
        _ = bench.on(.tick, at: 1_000)
        let own = Failure(code: .unreachable, text: "no answer: try later", retryable: true)
        #expect(try #require(report(of: .failed(own), &bench, at: 1_001)).1?.code == .unreachable)
    }

    @Test("of a loader that is not asked twice nobody knows what the attempt has done")
    func unrepeatable() throws {
        var (bench, _) = running("post")
        _ = bench.on(.tick, at: 1_000)
        let failure = try #require(report(of: .cancelled, &bench, at: 1_001)).1
        #expect(failure?.code == .outcomeUnknown && failure?.retryable == false)
    }

    @Test("a cancel that comes then is a cancel, and an attempt without a time has as long as it takes")
    func others() throws {
        var (bench, _) = running()
        _ = bench.on(.tick, at: 1_000)
        _ = bench.receive(.cancel(leases: [5]), at: 1_001)
        #expect(try #require(report(of: .cancelled, &bench, at: 1_002)).0 == .cancelled)
        bench = Bench.registered()
        _ = bench.take(Bench.grant("sleep", 5), at: 0)
        #expect(!bench.on(.tick, at: 2_000).contains { if case .cancelWork = $0 { true } else { false } })
    }

    @Test("a grant whose times are not one for each job is refused")
    func malformed() {
        var bench = Bench.registered()
        var grant = Bench.grant("sleep", 5, 6, timeout: 9)
        grant.attemptTimeouts = [1]
        #expect(bench.receive(.grant(grant), at: 1).contains(.ignored(.malformed)))
    }
}
