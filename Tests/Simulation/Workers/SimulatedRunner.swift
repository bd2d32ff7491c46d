//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import GantryAuditRecord
import GantryModel
import GantryPackedColumns
import GantryWorker

/// Runs jobs in virtual time.
struct SimulatedRunner: WorkerRunner {
    unowned let process: WorkerProcess

    func start(_ work: WorkStart) throws {
        try process.check()
        if work.limited != nil, process.failsToRecord() { return process.giveBack(work) }
        process.begin(work)
    }

    func cancel(_ token: WorkToken, because reason: CancelReason) throws {
        try process.check()
        process.cancel(token, because: reason)
    }

    func kill(_ token: WorkToken) throws -> Bool {
        try process.check()
        return process.kill(token)
    }

    func runBulk(_ work: BulkWork, into ended: inout WorkerMessage.Ended) throws -> Int {
        try process.check()
        let world = process.world
        let count = world.random.chance(0.5) ? work.remainingCount : 1 + world.random.below(work.remainingCount)
        let isUnrecorded = !work.limited.isEmpty && process.failsToRecord()
        var starts: [RecordedStart] = []
        for place in work.arguments[work.next...].indices.prefix(count) {
            let row = place.row
            let limited = work.limited[work.jobs[row]]
            if isUnrecorded, limited != nil {
                ended.failures.append(Indexed(index: UInt32(ended.jobs.count), value: WorkerProcess.unrecorded))
                ended.jobs.append(work.jobs[row])
                ended.leases.append(work.leases[row])
                ended.outcomes.append(.returned)
                ended.results.appendEmpty()
                continue
            }
            let number = world.ledger.ranBulk(JobID(work.jobs[row]), marker: Run.number(in: work.arguments[place]), on: process)
            if let limited {
                starts.append(
                    RecordedStart(
                        run: starts.first?.run ?? number, job: JobID(work.jobs[row]), attempt: work.attempts[row], limited: limited,
                        leaseEnd: world.now))
            }
            ended.jobs.append(work.jobs[row])
            ended.leases.append(work.leases[row])
            ended.outcomes.append(.succeeded)
            ended.results.append(Run.bytes(of: number) + Array(repeating: 7, count: world.variation.resultByteCount - 8))
        }
        world.ledger.records(starts, on: process)
        try process.check()
        return count
    }

    func takeReports(into reports: inout [WorkReport]) throws {
        try process.check()
        reports.append(contentsOf: process.reports)
        process.reports.removeAll()
    }
}

/// A worker's connection in a world.
struct SimulatedWorkerTransport: WorkerTransport {
    unowned let process: WorkerProcess

    func wait(until deadline: MonotonicTime, toSend: Bool) throws { try process.check() }

    func receive() throws -> [UInt8]? {
        try process.check()
        return process.endpoint.inbox.popFirst()?.payload
    }

    func send(_ frame: [UInt8]) throws -> Bool {
        try process.check()
        return process.world.network.send(frame, from: process.endpoint)
    }

    func reconnect() throws {
        try process.check()
        process.world.note("\(process.name) reconnects")
        process.world.network.reopen(process.endpoint)
    }
}

/// A worker's clock in a world, and the kernel timer that ends its process.
struct SimulatedWorkerClock: WorkerClock {
    unowned let process: WorkerProcess

    func now() throws -> MonotonicTime {
        try process.check()
        return process.reading(at: process.world.now)
    }

    func armKillTimer(at instant: MonotonicTime) throws {
        try process.check()
        process.armKillTimer(at: process.worldTime(of: instant))
        guard process.isAlive else { throw ProcessDied() }
    }

    func disarmKillTimer() throws {
        try process.check()
        process.armKillTimer(at: nil)
    }
}
