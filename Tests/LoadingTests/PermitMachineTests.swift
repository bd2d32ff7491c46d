//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Testing

@testable import Loading

@Suite("The permit machine")
struct PermitMachineTests {
    /// Each job arrives at a column and runs for some columns; the answer shows when each one runs (#).
    private func play(limit: Int, _ jobs: [(arrives: Int, runs: Int)]) -> [String] {
        var machine = PermitMachine(limit: limit, waiterLimit: 100)
        var pictures = jobs.map { _ in "" }
        var left = jobs.map(\.runs)
        var running: Set<Int> = []
        var waiters: [UInt64: Int] = [:]
        for column in 0..<16 {
            for job in running.sorted() where left[job] == 0 {
                running.remove(job)
                if case .handOver(let waiter) = machine.released(), let next = waiters[waiter] { running.insert(next) }
            }
            for (job, times) in jobs.enumerated() where times.arrives == column {
                switch machine.requested() {
                case .grant: running.insert(job)
                case .wait(let waiter): waiters[waiter] = job
                case .refuse: Issue.record("refused")
                }
            }
            #expect(machine.held == running.count && running.count <= limit)
            for job in jobs.indices {
                pictures[job] += running.contains(job) ? "#" : "."
                if running.contains(job) { left[job] -= 1 }
            }
        }
        #expect(machine.held == 0)
        return pictures
    }

    @Test("limit 1: strictly one after the other, in the order of arrival")
    func one() {
        #expect(
            play(limit: 1, [(0, 3), (1, 2), (1, 1), (9, 2)]) == [
                "###.............",
                "...##...........",
                ".....#..........",
                ".........##.....",
            ])
    }

    @Test("limit 2: the free permit goes to the first in the line")
    func two() {
        #expect(
            play(limit: 2, [(0, 4), (0, 2), (1, 3), (1, 1)]) == [
                "####............",
                "##..............",
                "..###...........",
                "....#...........",
            ])
    }

    @Test("two bursts of ten lose no permit and make none", arguments: [1, 3])
    func bursts(limit: Int) {
        let burst = 0..<10
        var machine = PermitMachine(limit: limit, waiterLimit: 100)
        for _ in 0..<2 {
            var grants = 0
            for _ in burst where machine.requested() == .grant { grants += 1 }
            #expect(grants == limit)
            #expect(machine.held == limit)
            var kept = 0
            for _ in burst where machine.released() == .keep { kept += 1 }
            #expect(kept == limit)
            #expect(machine.held == 0)
        }
    }

    @Test("a newcomer never overtakes: a hand-over leaves no free permit")
    func overtaking() {
        var machine = PermitMachine(limit: 1, waiterLimit: 100)
        #expect(machine.requested() == .grant)
        #expect(machine.requested() == .wait(1))
        #expect(machine.released() == .handOver(to: 1))
        #expect(machine.requested() == .wait(2))
        #expect(machine.released() == .handOver(to: 2))
        #expect(machine.released() == .keep)
    }

    @Test("a waiter that left is passed over, once it has a permit it cannot leave")
    func leaving() {
        var machine = PermitMachine(limit: 1, waiterLimit: 100)
        var requests: [PermitMachine.RequestAction] = []
        for _ in 0..<3 { requests.append(machine.requested()) }
        #expect(requests == [.grant, .wait(1), .wait(2)])
        #expect(machine.withdrew(1) == .leave)
        #expect(machine.withdrew(1) == .ignore)
        #expect(machine.released() == .handOver(to: 2))
        #expect(machine.withdrew(2) == .ignore)
        #expect(machine.released() == .keep)
    }

    @Test("all waiters leave together, in order, and the line is empty then")
    func leavingTogether() {
        var machine = PermitMachine(limit: 1, waiterLimit: 100)
        for _ in 0..<4 { _ = machine.requested() }
        #expect(machine.withdrew(2) == .leave)
        #expect(machine.withdrewAll() == [1, 3])
        #expect(machine.released() == .keep)
        #expect(machine.requested() == .grant)
    }

    @Test("one more waiter than may wait is refused")
    func bound() {
        var machine = PermitMachine(limit: 1, waiterLimit: 2)
        var requests: [PermitMachine.RequestAction] = []
        for _ in 0..<4 { requests.append(machine.requested()) }
        #expect(requests == [.grant, .wait(1), .wait(2), .refuse])
        #expect(machine.waiterCount == 2)
    }

    @Test("callers that come and leave while a permit is never given back leave no places behind")
    func comingAndLeaving() {
        var machine = PermitMachine(limit: 1, waiterLimit: 10)
        #expect(machine.requested() == .grant)
        #expect(machine.requested() == .wait(1))
        for waiter: UInt64 in 2...10_000 {
            #expect(machine.requested() == .wait(waiter))
            #expect(machine.withdrew(waiter) == .leave)
        }
        #expect(machine.placeCount < 100)
        #expect(machine.released() == .handOver(to: 1))
        #expect(machine.released() == .keep)
    }

    @Test("a long line stays in order while it is served")
    func longLine() {
        var machine = PermitMachine(limit: 1, waiterLimit: 10_000)
        for _ in 0...1000 { _ = machine.requested() }
        for waiter: UInt64 in 1...1000 where waiter % 3 == 0 { _ = machine.withdrew(waiter) }
        for waiter: UInt64 in 1...1000 where waiter % 3 != 0 { #expect(machine.released() == .handOver(to: waiter)) }
        #expect(machine.released() == .keep)
    }
}
