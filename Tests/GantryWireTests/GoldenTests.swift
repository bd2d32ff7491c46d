//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryWire
import Testing

@Suite("Golden bytes")
struct GoldenTests {
    @Test("bytes that protoc made are read as the value that they say", arguments: Samples.all.keys.sorted())
    func reading(name: String) throws {
        let golden = try Golden(name)
        #expect(try Sample(golden.kind, decoding: golden.bytes) == Samples.all[name])
    }

    @Test("a value is written as the bytes that protoc made", arguments: Samples.all.keys.sorted())
    func writing(name: String) throws {
        let golden = try Golden(name)
        #expect(Samples.all[name]?.kind == golden.kind)
        #expect(Samples.all[name]?.encoded == golden.bytes)
    }

    @Test("a part of a snapshot behind an envelope without messages is the envelope with it, byte for byte")
    func partBehindEnvelope() throws {
        let golden = try Golden("front-snapshot")
        let envelope = try WireCodec().decodeFront(golden.bytes)
        var bytes = WireCodec().encode(FrontEnvelope(front: envelope.front, epoch: envelope.epoch, session: envelope.session, messages: []))
        for message in envelope.messages {
            guard case .snapshot(let part) = message else {
                Issue.record("another message")
                return
            }
            bytes += WireCodec().encode(part)
        }
        #expect(bytes == golden.bytes)
        #expect(envelope.messages.count == 2)
    }

    @Test("every golden file has a value here and every kind of frame has one")
    func complete() throws {
        let goldens = try Golden.all()
        #expect(goldens.map(\.name) == Samples.all.keys.sorted())
        #expect(Set(goldens.map(\.kind)) == Set(Sample.Kind.allCases))
    }
}
