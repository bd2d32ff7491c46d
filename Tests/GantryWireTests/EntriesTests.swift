//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import GantryWire
import Testing

@Suite("Rows of the journal")
struct EntriesTests {
    private let codec = WireCodec()

    @Test("a row begins with the number of its format")
    func format() {
        #expect(codec.encode([.workerLost(JournalEntry.WorkerLost(WorkerID(5)))]).prefix(2) == [0x08, 3])
    }

    @Test("a row of a newer format is refused by name, whatever follows the number")
    func newer() {
        for rest: [UInt8] in [[], [0x12, 1, 0xFF], [0x12, 3, 0x0A, 1, 0xFF], [0x18, 5]] {
            let error = #expect(throws: CodecError.self) { try codec.decodeEntries([0x08, 4] + rest) }
            #expect(error?.reason == "it has format 4, this version reads format 3: start the newer version")
        }
    }

    @Test("a row of an older format is refused by name, with what to do")
    func older() {
        let error = #expect(throws: CodecError.self) { try codec.decodeEntries([0x08, 1, 0x12, 0]) }
        #expect(error?.reason == "it has format 1, this version reads format 3: start the older version, or begin with another folder")
    }

    @Test("a row without a format is refused")
    func none() {
        #expect(throws: CodecError.self) { try codec.decodeEntries([0x12, 0]) }
    }

    @Test("no entries are no bytes, and the other way round")
    func empty() throws {
        #expect(codec.encode([JournalEntry]()) == [])
        #expect(try codec.decodeEntries([]) == [])
    }

    @Test("what was journaled is read again, however many entries and rows it has")
    func large() throws {
        var granted = JournalEntry.GrantedJobs(worker: WorkerID(5), at: Samples.noon)
        granted.jobs = Array(1...70_000)
        granted.leases = Array(100_001...170_000)
        let entries =
            [JournalEntry.granted(granted)] + Array(repeating: .sessionEnded(JournalEntry.SessionEnded(SessionID(9))), count: 70_000)
        #expect(try codec.decodeEntries(codec.encode(entries)) == entries)
    }

    @Test("a row with an argument or a result that is longer than the front can keep is refused, and one at the bound is read")
    func longPayload() throws {
        for (isAbove, length) in [(false, MessageBounds.journaledPayloadByteCount), (true, MessageBounds.journaledPayloadByteCount + 1)] {
            let payload = PackedBytes([Array(repeating: 7, count: length)])
            let accepted = JournalEntry.AcceptedJobs(
                first: JobID(1), acceptedAt: Samples.noon, rankTime: 0, submitter: .front, loader: "a", arguments: payload)
            var ended = JournalEntry.EndedJobs(at: Samples.noon)
            (ended.jobs, ended.states, ended.results) = ([1], [.succeeded], payload)
            for entry in [JournalEntry.jobsAccepted(accepted), .ended(ended)] {
                let bytes = codec.encode([entry])
                guard isAbove else {
                    #expect(try codec.decodeEntries(bytes) == [entry])
                    continue
                }
                #expect(throws: CodecError.self) { _ = try codec.decodeEntries(bytes) }
            }
        }
    }

    @Test("work that is done has nothing that comes next, and a damaged object whose name has another length is refused")
    func workDone() throws {
        let done = JournalEntry.workLeft(JournalEntry.WorkLeft(.damage(Samples.list.digest), since: Samples.noon, at: nil))
        let bytes = codec.encode([done])
        #expect(try codec.decodeEntries(bytes) == [done])
        let start = try #require(bytes.firstRange(of: Samples.list.digest.bytes)?.lowerBound)
        #expect(bytes[start - 1] == 32)
        var short = bytes
        short.remove(at: start)
        for place in [3, 6, start - 1] where short[place] >= 32 { short[place] -= 1 }
        #expect(throws: CodecError.self) { try codec.decodeEntries(short) }
    }

    @Test("every cause for which attempts end is read again as it was written")
    func causes() throws {
        let job = JournalEntry.EndedAttempt(job: JobID(42), attempts: 300, crashCount: 1, isSuspected: true)
        for cause in AttemptEndCause.allCases {
            let entries = [JournalEntry.attemptsEnded(JournalEntry.AttemptsEnded(jobs: [job], cause: cause))]
            #expect(try codec.decodeEntries(codec.encode(entries)) == entries)
        }
    }

    @Test("attempts that end for no cause, or for one that this version does not know, are refused")
    func otherCauses() throws {
        // Job 5, two attempts, one death, suspected, and the cause with its number.
        func row(_ cause: [UInt8]) -> [UInt8] {
            let ended: [UInt8] = [0x0A, 8, 5, 0, 0, 0, 0, 0, 0, 0, 0x12, 1, 2, 0x1A, 1, 1, 0x22, 1, 1] + cause
            let entry = [0x3A, UInt8(ended.count)] + ended
            return [0x08, 3, 0x12, UInt8(entry.count)] + entry
        }
        let job = JournalEntry.EndedAttempt(job: JobID(5), attempts: 2, crashCount: 1, isSuspected: true)
        #expect(try codec.decodeEntries(row([0x28, 7])) == [.attemptsEnded(JournalEntry.AttemptsEnded(jobs: [job], cause: .culprit))])
        for cause: [UInt8] in [[], [0x28, 0], [0x28, 13], [0x28, 0xFF, 0x01], [0x28, 0x80, 0x02]] {
            let error = #expect(throws: CodecError.self) { try codec.decodeEntries(row(cause)) }
            #expect(error?.what == "why attempts ended")
        }
    }

    @Test("an entry of a kind that this version does not know is refused")
    func unknown() {
        #expect(throws: CodecError.self) { try codec.decodeEntries([0x08, 2, 0x12, 3, 0x9A, 0x06, 0]) }
    }

    /// How the codec refuses stored jobs; nil: it takes them.
    private func refusal(of stored: JournalEntry.StoredJobs, _ spoil: (inout [UInt8]) -> Void = { _ in }) -> CodecError? {
        var bytes = codec.encode([.jobsStored(stored)])
        spoil(&bytes)
        do throws(CodecError) { _ = try codec.decodeEntries(bytes) } catch { return error }
        return nil
    }

    @Test("stored jobs with flags that no job has are refused by name: they would stand where they are not")
    func flags() {
        for flag in [UInt8(8), 16, 64, 128] {
            var stored = Samples.stored
            stored.flags[1].insert(JournalEntry.StoredJobs.Flags(rawValue: flag))
            #expect(refusal(of: stored)?.description.contains("flags of stored jobs cannot be read") == true)
        }
    }

    @Test("a bundle that says that it takes more than one can is refused by name: what all take together is counted")
    func bundleSize() {
        func refusal(_ byteCount: UInt64) -> CodecError? {
            var bundled = JournalEntry.EndedBundled(BundleNumber(7), .succeeded)
            bundled.byteCount = byteCount
            let row = codec.encode([JournalEntry.endedBundled(bundled)])
            do throws(CodecError) { _ = try codec.decodeEntries(row) } catch { return error }
            return nil
        }
        #expect(refusal(1 << 36) == nil)
        let expected = "a bundle cannot be read: 68719476737 bytes are more than one can take"
        #expect(refusal(1 << 36 + 1)?.description.contains(expected) == true)
    }

    @Test("a bundle without a kind is one of failed jobs or of all others, as it says, and a kind that is not known is refused by name")
    func bundleKinds() throws {
        // The entry 22 of a row: its number, and the fields 2 and 8.
        func kind(_ fields: [UInt8]) throws -> EndedKind? {
            let entry: [UInt8] = [0x09, 7, 0, 0, 0, 0, 0, 0, 0] + fields
            let row = [0x08, 3, 0x12, UInt8(entry.count + 3), 0xB2, 0x01, UInt8(entry.count)] + entry
            guard case .endedBundled(let bundle)? = try codec.decodeEntries(row).first else { return nil }
            return bundle.kind
        }
        #expect(try kind([]) == .succeeded && kind([0x10, 1]) == .failed)
        for known in EndedKind.allCases { #expect(try kind([0x40, known.rawValue]) == known) }
        #expect(try kind([0x10, 1, 0x40, 2]) == .cancelled, "its kind says it where it has one")
        let error = #expect(throws: CodecError.self) { try kind([0x40, 4]) }
        let expected = "the kind of the jobs of a bundle cannot be read: this version does not know the value 4"
        #expect(error?.description.contains(expected) == true, "\(String(describing: error))")
    }

    @Test("a bundle in which more failures are counted than it has jobs is refused by name: those of all bundles are added up")
    func bundleFailures() {
        func refusal(_ counts: UInt64...) -> CodecError? {
            var bundled = JournalEntry.EndedBundled(BundleNumber(7), .failed)
            (bundled.jobs, bundled.states) = ([42, 43], [.failed, .failed])
            bundled.failures = counts.map { FailureCount(.httpStatus, $0) }
            do throws(CodecError) { _ = try codec.decodeEntries(codec.encode([JournalEntry.endedBundled(bundled)])) } catch { return error }
            return nil
        }
        #expect(refusal(1, 1) == nil)
        let expected = "a bundle cannot be read: more failures are counted in it than it has jobs, which are 2"
        for refused in [refusal(3), refusal(2, 1), refusal(1, JournalBounds.number)] {
            #expect(refused?.description.contains(expected) == true, "\(String(describing: refused))")
        }
    }

    @Test("stored jobs whose results are not those of as many ended jobs are refused by name")
    func results() throws {
        let stored = Samples.stored
        #expect(refusal(of: stored) == nil)
        var short = stored
        short.results = [[]]
        #expect(refusal(of: short)?.description.contains("stored jobs cannot be read: its columns have 2 and 1 rows") == true)
        short = stored
        short.arguments = []
        #expect(refusal(of: short)?.description.contains("stored jobs cannot be read: its columns have 2 and 0 rows") == true)
        // Field 17 (result_lengths): 0, 1.
        let wrong = refusal(of: stored) { bytes in
            let field: [UInt8] = [0x8A, 0x01, 2, 0, 1]
            let starts = bytes.indices.filter { bytes[$0...].starts(with: field) }
            #expect(starts.count == 1)
            for start in starts { bytes[start + 4] = 2 }
        }
        let name = "results of stored jobs cannot be read: "
        #expect(wrong?.description.contains(name + "its lengths make 2 bytes, but there are 1") == true)
        var early = stored
        early.results = [[1], []]
        #expect(refusal(of: early)?.description.contains(name + "job 42 has one, but has not ended") == true)
    }

    @Test("stored arguments and results of any length are read as they were; none at all are two bytes")
    func payloads() throws {
        let lengths = [0, 1, 127, 128, 65_536]
        for argument in lengths {
            for result in lengths {
                var stored = Samples.stored
                stored.arguments = [Array(repeating: 1, count: result), Array(repeating: 2, count: argument)]
                stored.results = [[], Array(repeating: 3, count: result)]
                #expect(try codec.decodeEntries(codec.encode([.jobsStored(stored)])) == [.jobsStored(stored)])
            }
        }
        func byteCount(_ count: Int) -> Int {
            var stored = JournalEntry.StoredJobs()
            stored.arguments = PackedBytes(repeating: [], count: count)
            stored.results = PackedBytes(repeating: [], count: count)
            return codec.encode([.jobsStored(stored)]).count
        }
        #expect(byteCount(50) - byteCount(20) == 60)
    }
}
