//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import StateJSON
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
        return FrontStatus(front: front, counts: counts, workers: [], oldest: nil, freeByteCount: free)
    }

    @Test("a worker that drains is counted as what it is")
    func draining() {
        var worker = WorkerSummary(id: WorkerID(1), name: "a", slots: 4)
        worker.slotsTaken = 3
        worker.state = .draining
        let attached = WorkerSummary(id: WorkerID(2), name: "b", slots: 4)
        let status = FrontStatus(
            front: status(free: nil).front, counts: JobCounts(), workers: [worker, attached], oldest: nil, freeByteCount: nil)
        let text = status.text(isShort: false)
        #expect(text.contains("\nworkers   1 attached, 1 draining, 3 of 8 slots taken\n"), "\(text)")
    }

    @Test("a disk that is almost full is named where the front still calls its journal ok, before any other advice")
    func almostFull() {
        let failed = [FailureCount(.storageFull, 2)]
        let almost = status(free: 3 << 20, failures: failed)
        #expect(almost.next == "free some disk space; without it loads, sorts and saves fail with storageFull")
        let text = almost.text(isShort: false)
        #expect(text.contains("storage ok, only 3 MiB free, ") && text.contains("\nfailures  storageFull 2\n"), "\(text)")
        #expect(status(free: nil).next == "gantry watch" && status(free: 1 << 30).next == "gantry watch")
        #expect(status(free: 1 << 30, failures: failed).next == "gantry job list --state failed")
        #expect(status(storage: .full, free: 0).next == "free some disk space; nothing accepted is lost")
        #expect(status(free: 1 << 30).text(isShort: false).contains("storage ok, 0 sessions"))
    }

    /// Jobs that wait for these loaders, and one that waits for a slot.
    private func waiting(_ loaders: [String]) -> [JobSummary] {
        func job(_ id: UInt64, _ loader: String, _ reason: WaitReason) -> JobSummary {
            var job = JobSummary(id: JobID(id), loader: loader, state: .waiting, acceptedAt: WallTime(milliseconds: 0))
            job.waitReason = reason
            return job
        }
        return [job(1, "http", .slotsTaken)] + loaders.enumerated().map { job(UInt64($0) + 2, $1, .noWorker(loader: $1)) }
    }

    @Test("jobs that no registered worker can run are counted and named by their loaders, most first, with what to do")
    func unoffered() throws {
        let (front, worker) = (status(free: nil).front, WorkerSummary(id: WorkerID(1), name: "a", slots: 4))
        func shown(_ loaders: [String], isWhole: Bool = true, workers: [WorkerSummary]) -> FrontStatus {
            var counts = JobCounts()
            counts.waiting = UInt64(loaders.count) + 1
            return FrontStatus(
                front: front, counts: counts, workers: workers, oldest: nil,
                unoffered: UnofferedJobs(waiting(loaders), isWhole: isWhole), freeByteCount: nil)
        }
        let some = shown(["b c", "a", "b c"], workers: [worker])
        let text = some.text(isShort: false)
        #expect(text.contains("\nunoffered 3 waiting jobs that no registered worker can run: b c 2, a 1\nfailures  none\n"), "\(text)")
        let command = "gantry job list --state waiting --loader 'b c'"
        #expect(some.next == "start a worker that offers the loader 'b c', or look at its jobs: \(command)")
        #expect(some.json.text.contains(#""unoffered":[{"loader":"b c","count":2},{"loader":"a","count":1}]"#), "\(some.json.text)")
        // Without any worker one is started first.
        #expect(shown(["a"], workers: []).next == "gantry worker")
        let many = shown(["a", "b", "c", "d", "e"], isWhole: false, workers: [worker]).text(isShort: true)
        let line = "unoffered at least 5 waiting jobs that no registered worker can run: a 1, b 1, c 1, 2 more loaders\n"
        #expect(many.contains(line), "\(many)")
        let none = shown([], workers: [worker])
        #expect(!none.text(isShort: false).contains("unoffered") && none.json.text.contains(#""unoffered":[]"#))
        #expect(none.next == "gantry watch" && none.json.text.contains(#""unofferedIsWhole":true"#))
        // What was not looked at is not said to be well.
        let partly = shown([], isWhole: false, workers: [worker])
        #expect(partly.text(isShort: true).contains("\nunoffered none of the newest 1 that wait; others were not looked at\n"))
        #expect(partly.json.text.contains(#""unofferedIsWhole":false"#))
        #expect(UnofferedJobs([], isWhole: false).line == "not known: the front is too busy")
    }
}
