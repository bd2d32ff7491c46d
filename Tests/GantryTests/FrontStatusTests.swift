//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPlatform
import StateFormatting
import Testing

@testable import gantry

@Suite("What status advises")
struct FrontStatusTests {
    private func status(storage: StorageState = .ok, free: Int64?, failures: [FailureCount] = []) -> FrontStatus {
        var front = FrontSummary(
            front: FrontID(1), epoch: Epoch(1), startedAt: WallTime(milliseconds: 0), version: "0", durability: .full)
        front.storage = storage
        var counts = JobCounts()
        counts.failures = failures
        return FrontStatus(front: front, counts: counts, workers: [], freeByteCount: free)
    }

    @Test("a worker that drains is counted as what it is")
    func draining() {
        var worker = WorkerSummary(id: WorkerID(1), name: "a", slots: 4)
        worker.slotsTaken = 3
        worker.state = .draining
        let attached = WorkerSummary(id: WorkerID(2), name: "b", slots: 4)
        let status = FrontStatus(
            front: status(free: nil).front, counts: JobCounts(), workers: [worker, attached], freeByteCount: nil)
        let text = status.text(isShort: false)
        #expect(text.contains("\nworkers   1 live, 1 draining, 3 of 8 slots taken\n"), "\(text)")
    }

    @Test("right after a start no job is called one that nobody can run while workers of the life before register again")
    func returning() {
        func shown(age: Int64, _ state: WorkerSummary.State) -> FrontStatus {
            var (front, counts, worker) = (status(free: nil).front, JobCounts(), WorkerSummary(id: WorkerID(1), name: "a", slots: 4))
            (counts.waiting, counts.unoffered, worker.state) = (3, [LoaderCount("http", 3)], state)
            front.startedAt = WallTime(milliseconds: SystemClock.wallMilliseconds() - age)
            return FrontStatus(front: front, counts: counts, workers: [worker], freeByteCount: nil)
        }
        let returning = shown(age: 100, .silent)
        let text = returning.text(isShort: false)
        #expect(text.contains("workers   0 live, 1 about to register again, 0 of 0 slots taken\n"), "\(text)")
        #expect(
            !text.contains("unoffered") && returning.next == "wait some seconds until all workers have registered again, then gantry status"
        )
        #expect(shown(age: 100, .live).text(isShort: false).contains("unoffered 3 waiting jobs"))
        let late = shown(age: 60_000, .silent)
        #expect(late.text(isShort: false).contains("unoffered 3 waiting jobs") && late.next == FrontStatus.workerStep)
    }

    @Test("a disk that is almost full is named where the front still calls its journal ok, before any other advice")
    func almostFull() {
        let failed = [FailureCount(.storageFull, 2)]
        let almost = status(free: 3 << 20, failures: failed)
        #expect(almost.next == "free some disk space; without it loads, sorts and saves fail with storageFull")
        let text = almost.text(isShort: false)
        #expect(text.contains("storage ok, only 3 MiB free, ") && text.contains("\nfailures  storageFull 2\n"), "\(text)")
        #expect(status(free: nil).next == "gantry watch" && status(free: 1 << 30).next == "gantry watch")
        #expect(status(free: 1 << 30, failures: failed).next == "gantry job dead")
        #expect(status(storage: .full, free: 0).next == "free some disk space; nothing accepted is lost")
        #expect(status(free: 1 << 30).text(isShort: false).contains("storage ok, 0 sessions"))
    }

    @Test("jobs that no registered worker can run are counted and named by their loaders, most first, with what to do")
    func unoffered() throws {
        let (front, worker) = (status(free: nil).front, WorkerSummary(id: WorkerID(1), name: "a", slots: 4))
        func shown(_ loaders: [LoaderCount], others: UInt64 = 0, workers: [WorkerSummary]) -> FrontStatus {
            var counts = JobCounts()
            counts.waiting = 100
            (counts.unoffered, counts.unofferedOthers) = (loaders, others)
            return FrontStatus(front: front, counts: counts, workers: workers, freeByteCount: nil)
        }
        let some = shown([LoaderCount("b c", 2), LoaderCount("a", 1)], workers: [worker])
        let text = some.text(isShort: false)
        #expect(text.contains("\nunoffered 3 waiting jobs that no registered worker can run: b c 2, a 1\nfailures  none\n"), "\(text)")
        let command = "gantry job list --state waiting --loader 'b c'"
        #expect(some.next == "start a worker that offers the loader 'b c', or look at its jobs: \(command)")
        #expect(some.json.text.contains(#""unoffered":[{"loader":"b c","count":2},{"loader":"a","count":1}]"#), "\(some.json.text)")
        // What a paused worker would take is not said to be nobody's.
        var offering = worker
        offering.loaders = ["a"]
        let pause = Pause(.worker("a"), by: "", reason: "new disk", since: WallTime(milliseconds: 0))
        var counts = JobCounts()
        (counts.waiting, counts.unoffered) = (1, [LoaderCount("a", 1)])
        let findings = StatusFindings(holding: [.worker("a")])
        let paused = FrontStatus(
            front: front, counts: counts, workers: [offering], pauses: [pause], findings: findings, freeByteCount: nil)
        #expect(paused.next == "gantry worker resume a" && !paused.text(isShort: false).contains("unoffered"))
        #expect(paused.text(isShort: false).contains("\npaused    the worker a is paused: new disk\n"))
        // What goes on with many jobs is told until it has ended.
        var bulk = BulkSummary(number: 1, action: "retry", by: "", since: WallTime(milliseconds: 0))
        bulk.done = 7
        counts.bulkActions = [bulk]
        let busy = FrontStatus(front: front, counts: counts, workers: [offering], freeByteCount: nil)
        #expect(busy.text(isShort: false).contains("\naction    retry: 7 jobs retried so far\n"), "\(busy.text(isShort: false))")
        // Without any worker one is started first.
        #expect(shown([LoaderCount("a", 1)], workers: []).next == FrontStatus.workerStep)
        let loaders = ["a", "b", "c", "d", "e"].map { LoaderCount($0, 1) }
        let many = shown(loaders, others: 7, workers: [worker]).text(isShort: true)
        #expect(many.contains("unoffered 12 waiting jobs that no registered worker can run: a 1, b 1, c 1, others 9\n"), "\(many)")
        let none = shown([], workers: [worker])
        #expect(!none.text(isShort: false).contains("unoffered") && none.json.text.contains(#""unoffered":[]"#))
        #expect(none.next == "gantry watch")
    }

    /// A front with a live worker and that many waiting jobs, the first of them for a minute.
    private func busy(
        waiting: UInt64 = 3, failures: [FailureCount] = [], pauses: [PauseTarget] = [], findings: StatusFindings = StatusFindings()
    ) -> FrontStatus {
        var counts = JobCounts()
        (counts.waiting, counts.failures) = (waiting, failures)
        counts.oldestWaiting = waiting == 0 ? nil : WallTime(milliseconds: SystemClock.wallMilliseconds() - 60_000)
        return FrontStatus(
            front: status(free: nil).front, counts: counts, workers: [WorkerSummary(id: WorkerID(1), name: "a", slots: 4)],
            pauses: pauses.map { Pause($0, by: "", reason: "", since: WallTime(milliseconds: 0)) }, findings: findings, freeByteCount: nil)
    }

    @Test("a pause that keeps no job waiting is no advice; those that do come first, then what has failed")
    func pausesWithoutJobs() {
        let pauses: [PauseTarget] = [.loader("idle"), .loader("slow"), .worker("a")]
        #expect(busy(waiting: 0, pauses: pauses).steps == ["gantry watch"])
        #expect(busy(pauses: pauses, findings: StatusFindings(oldest: JobID(7))).steps == ["gantry job explain 7"])
        let failed = [FailureCount(.timedOut, 1)]
        let held = busy(failures: failed, pauses: pauses, findings: StatusFindings(holding: [.loader("slow"), .worker("a")]))
        #expect(held.steps == ["gantry loader resume slow", "gantry worker resume a", "gantry job dead"] && held.next == held.steps[0])
        let shop = busy(pauses: [.group("shop")], findings: StatusFindings(holding: [.group("shop")]))
        #expect(shop.next == "gantry loader resume --group shop")
        let text = held.text(isShort: true)
        let advice = "\nnext      gantry loader resume slow\nthen      gantry worker resume a\nthen      gantry job dead"
        #expect(text.hasSuffix(advice), "\(text)")
        #expect(held.json.text.contains(#""nextSteps":["gantry loader resume slow","gantry worker resume a","gantry job dead"]"#))
        #expect(busy(pauses: [.everything], findings: StatusFindings(holding: [.everything])).next == "gantry loader resume --all")
    }

    @Test("dead jobs are advised on before a long wait, and those that others repeat count no longer")
    func dead() {
        let failures = [FailureCount(.timedOut, 3), FailureCount(.quarantined, 2)]
        #expect(busy(failures: failures, findings: StatusFindings(oldest: JobID(7))).steps == ["gantry job dead", "gantry job explain 7"])
        #expect(busy(waiting: 0, failures: [failures[1]]).next == "gantry job dead")
        let some = busy(waiting: 0, failures: failures, findings: StatusFindings(dead: dead([.timedOut: 1, .quarantined: 2], repeated: 2)))
        #expect(some.next == "gantry job dead")
        #expect(some.text(isShort: true).contains("\nfailures  quarantined 2, timedOut 1 (2 more have been retried)\n"))
        #expect(some.json.text.contains(#""failures":[{"code":"quarantined","count":2},{"code":"timedOut","count":1}],"repeated":2"#))
        let none = busy(waiting: 0, failures: failures, findings: StatusFindings(dead: dead([:], repeated: 5)))
        #expect(none.next == "gantry watch" && none.failures.isEmpty)
        #expect(none.text(isShort: true).contains("\nfailures  none (5 have been retried)\n"))
    }

    /// Failed jobs of which none repeats so many, and timed out ones that another job repeats.
    private func dead(_ codes: [FailureCode: Int], repeated: Int, isWhole: Bool = true) -> DeadCauses {
        var causes = DeadCauses()
        func add(_ code: FailureCode, repeatedBy: JobID? = nil) {
            var job = JobSummary(id: JobID(1), loader: "http", state: .failed, acceptedAt: nil)
            (job.failure, job.repeatedBy) = (Failure(code: code, text: ""), repeatedBy)
            causes.add(job)
        }
        for (code, count) in codes { for _ in 0..<count { add(code) } }
        for _ in 0..<repeated { add(.timedOut, repeatedBy: JobID(9)) }
        causes.isWhole = isWhole
        return causes
    }

    @Test("failures are those that job dead has; where that looks at more than status does, it says among how many it has looked")
    func sameAsDead() {
        let causes = dead([.timedOut: 3, .unreachable: 1], repeated: 1)
        #expect(causes.ordered.map(\.count) == [3, 1] && causes.lookedAt == 5)
        // The front has counted other jobs a moment before.
        let counted = [FailureCount(.timedOut, 9), FailureCount(.unreachable, 7)]
        let whole = busy(failures: counted, findings: StatusFindings(dead: causes))
        #expect(whole.failures == [FailureCount(.timedOut, 3), FailureCount(.unreachable, 1)] && whole.repeatedAmong == nil)
        #expect(!whole.json.text.contains("repeatedAmong"))
        let many = busy(failures: counted, findings: StatusFindings(dead: dead([.timedOut: 3], repeated: 1, isWhole: false)))
        #expect(many.failures == [FailureCount(.timedOut, 8), FailureCount(.unreachable, 7)])
        #expect(many.failureLine == "timedOut 8, unreachable 7 (1 more among the newest 4 has been retried)")
        #expect(many.json.text.contains(#""repeated":1,"repeatedAmong":4"#), "\(many.json.text)")
        let fresh = busy(failures: counted, findings: StatusFindings(dead: dead([.timedOut: 3], repeated: 0, isWhole: false)))
        #expect(fresh.failureLine == "timedOut 9, unreachable 7 (none among the newest 3 has been retried)")
    }

    @Test("without any worker one is to be started before anything else, whatever the jobs that have not ended do", arguments: 0..<4)
    func noWorker(state: Int) {
        var counts = JobCounts()
        counts.failures = [FailureCount(.timedOut, 3)]
        #expect(FrontStatus(front: status(free: nil).front, counts: counts, workers: [], freeByteCount: nil).steps == ["gantry job dead"])
        let fields: [WritableKeyPath<JobCounts, UInt64>] = [\.waiting, \.scheduled, \.running, \.cancelling]
        counts[keyPath: fields[state]] = 1
        let none = FrontStatus(front: status(free: nil).front, counts: counts, workers: [], freeByteCount: nil)
        #expect(none.steps == ["no worker is registered: gantry worker run, or start gantry up again", "gantry job dead"])
        var draining = WorkerSummary(id: WorkerID(1), name: "a", slots: 4)
        draining.state = .draining
        let some = FrontStatus(front: status(free: nil).front, counts: counts, workers: [draining], freeByteCount: nil)
        #expect(some.steps.first == (state == 0 ? "gantry worker run" : "gantry job dead"))
    }

    @Test("a paused worker is counted as one, and says so in JSON")
    func pausedWorker() {
        let paused = busy(pauses: [.worker("a")])
        #expect(paused.text(isShort: true).contains("\nworkers   1 live, 1 paused, 0 of 4 slots taken\n"), "\(paused.text(isShort: true))")
        #expect(paused.json.text.contains(#""loaders":[],"pause":{"worker":"a","#), "\(paused.json.text)")
        #expect(!busy().text(isShort: true).contains("paused") && !busy().json.text.contains(#""pause":"#))
    }
}
