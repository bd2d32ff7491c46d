//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Testing

@testable import gantry

@Suite("What is said once")
struct FirstTimeTests {
    @Test("the first who asks is the first, and nobody after")
    func once() {
        let ready = FirstTime()
        #expect((0..<3).map { _ in ready.isFirst() } == [true, false, false])
    }
}
