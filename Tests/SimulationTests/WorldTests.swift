//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Simulation
import TestSupport
import Testing

@testable import Simulation

@Suite("The streams of chance of a world")
struct ChanceStreamTests {
    private func numbers(_ stream: ChanceStream, of seed: UInt64) -> [UInt64] {
        var random = SplitMix64(stream, of: seed)
        return (0..<4).map { _ in random.next() }
    }

    @Test("no two of them have a number in common at their beginning, be it in one world or in two")
    func apart() {
        let all = Seeds.standard.flatMap { seed in ChanceStream.allCases.flatMap { numbers($0, of: seed) } }
        #expect(Set(all).count == all.count)
    }

    @Test("each is the same every time")
    func same() {
        for stream in ChanceStream.allCases { #expect(numbers(stream, of: 1) == numbers(stream, of: 1)) }
    }
}

@Suite("A process's own clock")
struct LocalClockTests {
    @Test("reaches a reading at the time that it names for it, fast or slow", arguments: [-10_000, -1, 0, 1, 10_000] as [Int64])
    func roundTrip(_ drift: Int64) {
        let origin: Int64 = 1_000_000_000_000
        let clock = LocalClock(drift: drift, origin: origin)
        for elapsed: Int64 in [0, 1, 999, 1_000_000, 5_500_000_000, 400_000_000_000] {
            let reading = origin + elapsed
            let time = clock.time(of: reading)
            #expect(clock.reading(at: time) >= reading)
            #expect(clock.reading(at: time - 5_000) < reading || elapsed < 10_000)
        }
        #expect(clock.time(of: .max) == .max)
    }
}

@Suite("What a world tells of itself")
struct TraceTests {
    @Test("with each action of the front stands the event that caused it, and a told world is the same world")
    func events() async throws {
        let (reported, silent) = try await onOwnThread { (Seeds.run(1, isTraced: true), Seeds.run(1)) }
        #expect(reported.fingerprint == silent.fingerprint && silent.trace.isEmpty)
        var received: Set<Substring> = []
        var (actions, orphans) = (0, 0)
        for line in reported.trace {
            guard let match = line.firstMatch(of: /(front \d+ event=\d+)(: | -> )/) else { continue }
            if match.2 == ": " {
                received.insert(match.1)
            } else {
                actions += 1
                if !received.contains(match.1) { orphans += 1 }
            }
        }
        #expect(actions > 1_000 && orphans == 0)
        #expect(reported.trace.contains { $0.contains(" -> record granted") } && reported.trace.contains { $0.contains(": clientSent ") })
    }
}
