//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import Testing

@testable import FrontService

@Suite("Requests for pages that wait")
struct WaitingPagesTests {
    private func request(_ number: UInt64) -> PageRequest {
        PageRequest(number: number, content: ObjectDigest(words: (1, 2, 3, 4)))
    }

    /// Everything that waits, in the order of its answers.
    private func answers(_ waiting: inout WaitingPages<String>) -> [String] {
        var order: [String] = []
        while let (peer, request) = waiting.next() { order.append("\(peer)\(request.number)") }
        return order
    }

    @Test("are answered in a client's order, each once, however often it was repeated meanwhile")
    func repeated() {
        var waiting = WaitingPages<String>()
        for number: UInt64 in [1, 2, 1, 3, 2, 1] { #expect(waiting.add(request(number), of: "a") == true) }
        #expect(answers(&waiting) == ["a1", "a2", "a3"])
    }

    @Test("are answered for clients in turn: who asks much waits longer, not who asks later")
    func fair() {
        var waiting = WaitingPages<String>()
        for number: UInt64 in 1...4 { #expect(waiting.add(request(number), of: "a") == true) }
        #expect(waiting.add(request(1), of: "b") == true)
        #expect(waiting.next()?.peer == "a")
        #expect(waiting.add(request(1), of: "c") == true)
        #expect(answers(&waiting) == ["b1", "a2", "c1", "a3", "a4"])
    }

    @Test("may be asked again after their answer: it may have been lost")
    func askedAgain() {
        var waiting = WaitingPages<String>()
        #expect(waiting.add(request(7), of: "a") == true)
        #expect(answers(&waiting) == ["a7"])
        #expect(waiting.add(request(7), of: "a") == true)
        #expect(answers(&waiting) == ["a7"])
    }

    @Test("are bounded for each client, which the others do not notice, and in all")
    func bounded() {
        var waiting = WaitingPages<String>(limit: 100)
        for number: UInt64 in 1...64 { #expect(waiting.add(request(number), of: "a") == true) }
        #expect(waiting.add(request(65), of: "a") == false)
        #expect(waiting.add(request(64), of: "a") == true, "a repeat of one that waits is no further one")
        for number: UInt64 in 1...36 { #expect(waiting.add(request(number), of: "b") == true) }
        #expect(waiting.add(request(1), of: "c") == false)
        #expect(answers(&waiting).count == 100)
        #expect(waiting.add(request(65), of: "a") == true)
    }
}
