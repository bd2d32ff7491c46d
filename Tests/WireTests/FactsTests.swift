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
        #expect(codec.encode([.workerLost(Fact.WorkerLost(WorkerID(5)))]).prefix(2) == [0x08, 3])
    }

    @Test("a row of a newer format is refused by name, whatever follows the number")
    func newer() {
        for rest: [UInt8] in [[], [0x12, 1, 0xFF], [0x12, 3, 0x0A, 1, 0xFF], [0x18, 5]] {
            let error = #expect(throws: CodecError.self) { try codec.decodeFacts([0x08, 4] + rest) }
            #expect(error?.reason == "it has format 4, this version reads format 3: start the newer version")
        }
    }

    @Test("a row of an older format is refused by name, with what to do")
    func older() {
        let error = #expect(throws: CodecError.self) { try codec.decodeFacts([0x08, 1, 0x12, 0]) }
        #expect(error?.reason == "it has format 1, this version reads format 3: start the older version, or begin with another folder")
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

    @Test("every cause for which jobs wait again is read again as it was written")
    func causes() throws {
        let job = Fact.RequeuedJob(job: JobID(42), deaths: 1, isSuspected: true)
        for cause in RequeueCause.allCases + [nil] {
            let facts = [Fact.requeued(Fact.RequeuedJobs(jobs: [job], cause: cause))]
            #expect(try codec.decodeFacts(codec.encode(facts)) == facts)
        }
    }

    @Test("jobs that an earlier version requeued have no cause; one that this version does not know is refused")
    func otherCauses() throws {
        // Job 5, one death, suspected, and the cause with its number.
        func row(_ cause: [UInt8]) -> [UInt8] {
            let requeued: [UInt8] = [0x0A, 8, 5, 0, 0, 0, 0, 0, 0, 0, 0x12, 1, 1, 0x1A, 1, 1] + cause
            let fact = [0x42, UInt8(requeued.count)] + requeued
            return [0x08, 3, 0x12, UInt8(fact.count)] + fact
        }
        let job = Fact.RequeuedJob(job: JobID(5), deaths: 1, isSuspected: true)
        for (bytes, cause) in [([], nil), ([0x20, 0], nil), ([0x20, 7], .culprit)] as [([UInt8], RequeueCause?)] {
            #expect(try codec.decodeFacts(row(bytes)) == [.requeued(Fact.RequeuedJobs(jobs: [job], cause: cause))])
        }
        for number: [UInt8] in [[8], [0xFF, 0x01], [0x80, 0x02]] {
            let error = #expect(throws: CodecError.self) { try codec.decodeFacts(row([0x20] + number)) }
            #expect(error?.what == "why jobs wait again")
        }
    }

    @Test("a fact of a kind that this version does not know is refused")
    func unknown() {
        #expect(throws: CodecError.self) { try codec.decodeFacts([0x08, 2, 0x12, 3, 0x9A, 0x06, 0]) }
    }
}
