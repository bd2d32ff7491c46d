//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
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
}
