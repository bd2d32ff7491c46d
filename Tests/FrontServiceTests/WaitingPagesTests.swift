//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import Testing

@testable import FrontService

@Suite("Requests for pages that wait")
struct WaitingPagesTests {
    private let content = ObjectDigest(words: (1, 2, 3, 4))

    @Test("are answered in their order, each once, however often it was repeated meanwhile")
    func repeated() {
        var waiting = WaitingPages<String>()
        for number: UInt64 in [1, 2, 1, 3, 2, 1] { waiting.add(PageRequest(number: number, content: content), of: "a") }
        waiting.add(PageRequest(number: 1, content: content), of: "b")
        var order: [String] = []
        while let (peer, request) = waiting.next() { order.append("\(peer)\(request.number)") }
        #expect(order == ["a1", "a2", "a3", "b1"])
    }

    @Test("may be asked again after their answer: it may have been lost")
    func askedAgain() {
        var waiting = WaitingPages<String>()
        waiting.add(PageRequest(number: 7, content: content), of: "a")
        #expect(waiting.next()?.request.number == 7)
        #expect(waiting.next() == nil)
        waiting.add(PageRequest(number: 7, content: content), of: "a")
        #expect(waiting.next()?.request.number == 7)
    }

    @Test("are bounded: more stay in the socket's queue")
    func bounded() {
        var waiting = WaitingPages<String>(limit: 2)
        waiting.add(PageRequest(number: 1, content: content), of: "a")
        waiting.add(PageRequest(number: 1, content: content), of: "a")
        #expect(!waiting.isFull)
        waiting.add(PageRequest(number: 2, content: content), of: "a")
        #expect(waiting.isFull)
    }
}
