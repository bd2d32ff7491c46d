//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import TestSupport
import Testing

@testable import FrontCore

/// However large what jobs work on is, a turn grants a bounded number of bytes, and so many lie at a worker.
@Suite("Bytes of grants")
struct GrantBytesTests {
    /// Submits bulk jobs, each with an argument of so many bytes.
    private func submit(_ count: Int, byteCount: Int, _ front: inout FrontHarness) {
        let arguments = Array(repeating: Array(repeating: UInt8(7), count: byteCount), count: count)
        let number = RequestNumber(front.nextRequest)
        front.nextRequest += 1
        _ = front.send(
            .submit(.init(number: number, lowestUnanswered: number, loader: "noop", arguments: PackedBytes(arguments))))
    }

    /// Jobs that each of the next turns grants, until one grants none.
    private func turns(_ front: inout FrontHarness, _ worker: inout WorkerHarness) -> [Int] {
        var counts: [Int] = []
        while true {
            let before = worker.held.count
            worker.take(front.settle())
            guard worker.held.count > before else { return counts }
            counts.append(worker.held.count - before)
        }
    }

    @Test("a turn grants as many bytes as it may, and a batch at most beyond them; the next one goes on at once")
    func turn() {
        var front = FrontHarness { $0.bounds.turnGrantByteCount = 128 * 1_128 }
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front, prefetch: 4_096)
        submit(300, byteCount: 1_000, &front)
        worker.take(front.settle())
        #expect(worker.held.count == 128 && front.machine.nextDeadline == front.now.monotonic)
        #expect(turns(&front, &worker) == [128, 44])
        #expect(front.machine.nextDeadline != front.now.monotonic)
        // Without room for one, one batch goes all the same.
        #expect(front.job(JobID(300))?.state == .running)
    }

    @Test("a saved state and what a job does for a feed count in what a turn grants")
    func work() throws {
        var world = FeedWorld {
            $0.feeds[0].settings = Array(repeating: 7, count: 5_000)
            $0.bounds.turnGrantByteCount = 10_000
        }
        for value in ["a", "b", "c"] { _ = try world.accept(.feed(.named("items?parameter=\(value)"), .load)) }
        world.grant()
        #expect(world.worker.held.count == 2)
        world.grant()
        #expect(world.worker.held.count == 3)
    }

    @Test("of grants that are sent again as many bytes leave in a turn as one message may have, feeds' work included")
    func again() throws {
        var world = FeedWorld {
            $0.feeds[0].settings = Array(repeating: 7, count: 5_000)
            $0.bounds.grantByteCount = 10_000
        }
        for value in ["a", "b", "c", "d", "e"] { _ = try world.accept(.feed(.named("items?parameter=\(value)"), .load)) }
        world.grant()
        #expect(world.worker.held.count == 5)
        world.worker.renewal += 1
        let renewal = WorkerMessage.renewal(RenewalNumber(world.worker.renewal), leases: [], readBelow: LeaseID(.max))
        let grants = world.worker.send(renewal, to: &world.front).compactMap { action -> WorkerBoundMessage? in
            if case .sendToWorkerApart(_, let message) = action { message } else { nil }
        }
        #expect(grants.count == 2 && grants.allSatisfy { $0.roughByteCount > 5_000 })
    }

    @Test("at a worker lie so many bytes ahead, and a batch at most beyond them, whatever it asks for; what ends makes room")
    func ahead() {
        var front = FrontHarness { $0.bounds.turnGrantByteCount = .max }
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front, prefetch: 4_096)
        // 64 KiB each: 64 of them are as many as may lie ahead.
        for _ in 0..<10 { submit(15, byteCount: 1 << 16, &front) }
        worker.take(front.settle())
        #expect(worker.held.count == 64)
        #expect(turns(&front, &worker).isEmpty)
        worker.take(worker.end(1, in: &front))
        #expect(worker.held.count == 127)
        // A restart counts the same.
        let again = front.restarted()
        let room = front.machine.state.jobs.holding(of: 0)?.room(in: front.machine.state.jobs.slab)
        #expect(
            room?.free(.ahead) == 0 && again.machine.state.jobs.holding(of: 0)?.room(in: again.machine.state.jobs.slab).free(.ahead) == 0)
    }
}
