//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import Testing
import Wire

@Suite("Rows of the journal")
struct FactsTests {
    private let codec = WireCodec()

    @Test("a row begins with the number of its format")
    func format() {
        #expect(codec.encode([.workerLost(Fact.WorkerLost(WorkerID(5)))]).prefix(2) == [0x08, 2])
    }

    @Test("a row of a newer format is refused by name, whatever follows the number")
    func newer() {
        for rest: [UInt8] in [[], [0x12, 1, 0xFF], [0x12, 3, 0x0A, 1, 0xFF], [0x18, 5]] {
            let error = #expect(throws: CodecError.self) { try codec.decodeFacts([0x08, 3] + rest) }
            #expect(error?.reason == "it has format 3, this version reads format 2: start the newer version")
        }
    }

    @Test("a row of the older format is refused by name, with what to do")
    func older() {
        let error = #expect(throws: CodecError.self) { try codec.decodeFacts([0x08, 1, 0x12, 0]) }
        #expect(error?.reason == "it has format 1, this version reads format 2: start the older version, or begin with another folder")
    }

    @Test("a row without a format is refused")
    func none() {
        #expect(throws: CodecError.self) { try codec.decodeFacts([0x12, 0]) }
    }

    @Test("no facts are no bytes, and the other way round")
    func empty() throws {
        #expect(codec.encode([Fact]()) == [])
        #expect(try codec.decodeFacts([]) == [])
    }

    @Test("what was journaled is read again, however many facts and rows it has")
    func large() throws {
        var granted = Fact.GrantedJobs(worker: WorkerID(5), at: Samples.noon)
        granted.jobs = Array(1...70_000)
        granted.leases = Array(100_001...170_000)
        let facts = [Fact.granted(granted)] + Array(repeating: .sessionEnded(Fact.SessionEnded(SessionID(9))), count: 70_000)
        #expect(try codec.decodeFacts(codec.encode(facts)) == facts)
    }

    @Test("a fact of a kind that this version does not know is refused")
    func unknown() {
        #expect(throws: CodecError.self) { try codec.decodeFacts([0x08, 2, 0x12, 3, 0x9A, 0x06, 0]) }
    }
}
