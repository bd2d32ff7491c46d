//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import TestSupport
import Testing

@testable import FrontCore

@Suite("Memory of arguments")
struct CompactionTests {
    @Test("arguments of jobs that go between others that wait are given back as fast as jobs go, however many that are in a turn")
    func keepsUp() async throws {
        try await onOwnThread {
            // What has ended is forgotten at once: before that its argument is kept.
            var front = FrontHarness { $0.bounds.endedByteCount = 0 }
            var worker = WorkerHarness(1)
            front.open()
            worker.register(with: &front, slots: 1, prefetch: 4_096)
            let byteCount = 256
            func submit(_ count: Int, loader: String, byteCount: Int = byteCount) {
                let number = RequestNumber(front.nextRequest)
                front.nextRequest += 1
                let submit = ClientMessage.Submit(
                    number: number, lowestUnanswered: number, loader: loader, reportsOutcomes: false,
                    arguments: PackedBytes(repeating: [UInt8](repeating: 7, count: byteCount), count: count))
                _ = front.send(.submit(submit))
            }
            // Others have to be looked through on the way to those whose memory is to be moved.
            submit(10_000, loader: "nobody-offers-this", byteCount: 0)
            let (rounds, groups) = (12, 256)
            for _ in 0..<rounds {
                for _ in 0..<groups {
                    submit(15, loader: "noop")
                    submit(1, loader: "nobody-offers-this")
                }
                for _ in 0..<2 { worker.take(front.settle()) }
                #expect(worker.held.count == 15 * groups)
                _ = worker.endAll(in: &front)
                front.entries = []
            }
            let arena = front.machine.state.jobs.arena
            #expect(arena.liveByteCount >= rounds * groups * byteCount)
            // Without moving them together each round leaves a whole MiB.
            #expect(arena.byteCount <= 2 * arena.liveByteCount + (4 << 20), "\(arena.byteCount) for \(arena.liveByteCount)")
        }
    }
}
