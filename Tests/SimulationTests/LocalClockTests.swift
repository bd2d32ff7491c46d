//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Testing

@testable import Simulation

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
