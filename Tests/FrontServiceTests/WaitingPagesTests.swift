//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontService

@Suite("Requests for pages that wait")
struct WaitingPagesTests {
    private func request(_ number: UInt64) -> PageRequest {
        PageRequest(number: number, content: ObjectDigest(words: (1, 2, 3, 4)))
    }

    private func word(_ admission: WaitingPages<String>.Admission) -> String {
        switch admission {
        case .waits: "waits"
        case .waitsInstead(let other): "waits instead of \(other.peer)\(other.request.number)"
        case .busy: "busy"
        }
    }

    private func anybody(_ peer: String) -> Bool { true }

    /// Everything that waits, in the order of its answers.
    private func answers(_ waiting: inout WaitingPages<String>) -> [String] {
        var order: [String] = []
        while let (peer, request) = waiting.next(anybody) { order.append("\(peer)\(request.number)") }
        return order
    }

    @Test("are answered in a client's order, each once, however often it was repeated meanwhile")
    func repeated() {
        var waiting = WaitingPages<String>()
        for number: UInt64 in [1, 2, 1, 3, 2, 1] { #expect(word(waiting.add(request(number), of: "a")) == "waits") }
        #expect(answers(&waiting) == ["a1", "a2", "a3"])
    }

    @Test("are answered for clients in turn: who asks much waits longer, not who asks later")
    func fair() {
        var waiting = WaitingPages<String>()
        for number: UInt64 in 1...4 { #expect(word(waiting.add(request(number), of: "a")) == "waits") }
        #expect(word(waiting.add(request(1), of: "b")) == "waits")
        #expect(waiting.next(anybody)?.peer == "a")
        #expect(word(waiting.add(request(1), of: "c")) == "waits")
        #expect(answers(&waiting) == ["b1", "a2", "c1", "a3", "a4"])
    }

    @Test("may be asked again after their answer: it may have been lost")
    func askedAgain() {
        var waiting = WaitingPages<String>()
        #expect(word(waiting.add(request(7), of: "a")) == "waits")
        #expect(answers(&waiting) == ["a7"])
        #expect(word(waiting.add(request(7), of: "a")) == "waits")
        #expect(answers(&waiting) == ["a7"])
    }

    @Test("are bounded for each client, which the others do not notice, and in all")
    func bounded() {
        var waiting = WaitingPages<String>(limit: 100)
        for number: UInt64 in 1...64 { #expect(word(waiting.add(request(number), of: "a")) == "waits") }
        #expect(word(waiting.add(request(65), of: "a")) == "busy")
        #expect(word(waiting.add(request(64), of: "a")) == "waits", "a repeat of one that waits is no further one")
        for number: UInt64 in 1...36 { #expect(word(waiting.add(request(number), of: "b")) == "waits") }
        #expect(word(waiting.add(request(1), of: "c")) == "waits instead of a64", "who asks little is not kept out by who asks much")
        #expect(word(waiting.add(request(2), of: "c")) == "waits instead of a63")
        #expect(answers(&waiting).count == 100)
        #expect(word(waiting.add(request(65), of: "a")) == "waits")
    }

    @Test("of a crowd that shares all places evenly one more is refused")
    func crowd() {
        var waiting = WaitingPages<String>(limit: 4)
        for peer in ["a", "b", "c", "d"] { #expect(word(waiting.add(request(1), of: peer)) == "waits") }
        #expect(word(waiting.add(request(1), of: "e")) == "busy")
    }
}
