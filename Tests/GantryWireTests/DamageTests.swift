//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import GantryWire
import Testing

/// Whatever the bytes are, they give a value or an error, and a value that was read can be written and read again.
@Suite("Damaged bytes")
struct DamageTests {
    /// How often bytes were read and how often refused: a decoder that always does the same shows nothing.
    private struct Counts {
        var read = 0
        var refused = 0

        mutating func note(_ survived: Bool) {
            if survived { read += 1 } else { refused += 1 }
        }
    }

    /// Whether the bytes were read; what was read is written and read once more, which must give the same bytes.
    private func survives(_ kind: Sample.Kind, _ bytes: [UInt8]) throws -> Bool {
        let sample: Sample
        do {
            sample = try Sample(kind, decoding: bytes)
        } catch {
            #expect(!error.what.isEmpty && !error.reason.isEmpty)
            return false
        }
        let written = sample.encoded
        let again = try Sample(kind, decoding: written).encoded
        #expect(again == written, "\(kind): \(bytes)")
        return true
    }

    @Test(
        "a report whose failure has no code that is one is read as that the loader failed, with its text, and a loader's own code as it is")
    func untrueCodes() throws {
        let codec = WireCodec()
        for (code, read) in [
            ("quotaUsed2", "quotaUsed2"), ("", "loaderFailed"), ("no space\u{1B}[2J", "loaderFailed"),
            (String(repeating: "a", count: 5_000), "loaderFailed"),
        ] {
            var ended = WorkerMessage.Ended(report: 1)
            (ended.jobs, ended.leases, ended.outcomes, ended.results) = ([5], [6], [.failed], [[]])
            ended.failures = [Indexed(index: 0, value: Failure(code: FailureCode(rawValue: code), text: "why"))]
            let envelope = WorkerEnvelope(worker: WorkerID(5), messages: [.ended(ended)])
            guard case .ended(let got)? = try codec.decodeWorker(codec.encode(envelope)).messages.first else {
                return #expect(Bool(false), "\(code.prefix(20)) is refused")
            }
            #expect(got.failures.map(\.value) == [Failure(code: FailureCode(rawValue: read), text: "why")])
        }
    }

    @Test("a golden frame cut at any length is read or refused", arguments: Samples.all.keys.sorted())
    func cut(name: String) throws {
        let golden = try Golden(name)
        var refused = 0
        for count in golden.bytes.indices where try !survives(golden.kind, Array(golden.bytes.prefix(count))) { refused += 1 }
        #expect(refused > 0)
    }

    @Test("a golden frame with any byte changed is read or refused", arguments: Samples.all.keys.sorted())
    func flipped(name: String) throws {
        let golden = try Golden(name)
        var refused = 0
        for index in golden.bytes.indices {
            for mask: UInt8 in [0x01, 0x04, 0x80, 0xFF] {
                var bytes = golden.bytes
                bytes[index] ^= mask
                if try !survives(golden.kind, bytes) { refused += 1 }
            }
        }
        #expect(refused > 0)
    }

    @Test("a frame of one kind read as another is read or refused")
    func confused() throws {
        var counts = Counts()
        for golden in try Golden.all() {
            for kind in Sample.Kind.allCases { counts.note(try survives(kind, golden.bytes)) }
        }
        #expect(counts.read > 0 && counts.refused > 0)
    }

    @Test("random bytes are read or refused", arguments: [1, 2, 3, 4] as [UInt64])
    func random(seed: UInt64) throws {
        var numbers = SplitMix64(mixing: seed)
        var counts = Counts()
        for _ in 0..<500 {
            let bytes = (0..<Int(numbers.next() % 200)).map { _ in UInt8(truncatingIfNeeded: numbers.next() >> 13) }
            for kind in Sample.Kind.allCases { counts.note(try survives(kind, bytes)) }
        }
        #expect(counts.read > 0 && counts.refused > 0)
    }

    @Test("golden frames with random changes in several places are read or refused", arguments: [5, 6] as [UInt64])
    func mutated(seed: UInt64) throws {
        var numbers = SplitMix64(mixing: seed)
        var counts = Counts()
        for golden in try Golden.all() {
            for _ in 0..<50 {
                var bytes = golden.bytes
                for _ in 0..<(1 + numbers.next() % 4) {
                    bytes[Int(numbers.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: numbers.next() >> 7)
                }
                counts.note(try survives(golden.kind, bytes))
            }
        }
        #expect(counts.read > 0 && counts.refused > 0)
    }
}
