//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import Testing
import Wire

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

    @Test("every golden file has a value here and every kind of frame has one")
    func complete() throws {
        let goldens = try Golden.all()
        #expect(goldens.map(\.name) == Samples.all.keys.sorted())
        #expect(Set(goldens.map(\.kind)) == Set(Sample.Kind.allCases))
    }
}
