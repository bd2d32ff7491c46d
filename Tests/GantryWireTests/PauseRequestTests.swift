//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryWire
import Testing

@Suite("Requests about pauses")
struct PauseRequestTests {
    /// The number of `pause` and of `resume` in `Request`.
    private let fields: [(number: UInt8, read: (PauseTarget) -> RequestBody)] = [
        (32, { .pause(.begin($0, reason: "", length: nil)) }), (33, { .pause(.end($0)) }),
    ]

    /// What is read of a request 1 with that content under a field of `Request`.
    private func read(_ field: UInt8, _ content: [UInt8]) throws -> RequestBody? {
        let number: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0]
        // A number above 15 takes two bytes with the kind of its field.
        let tag: [UInt8] = [(field << 3 & 0x7F) | 0x82, field >> 4]
        let request = [0x09] + number + [0x11] + number + tag + [UInt8(content.count)] + content
        let message = [0x22, UInt8(request.count)] + request
        let envelope = try WireCodec().decodeClient([0x12, UInt8(message.count)] + message)
        guard case .request(let request)? = envelope.messages.first else { return nil }
        return request.body
    }

    @Test("one of loader, group, worker and all loaders is said: nothing, or what a later version may say, is not everything")
    func target() throws {
        let (loader, later): ([UInt8], [UInt8]) = ([0x0A, 1, 0x61], [0x3A, 1, 0x62])
        for (index, (field, request)) in fields.enumerated() {
            let worker: [UInt8] = [index == 0 ? 0x2A : 0x1A, 1, 0x63]
            let group: [UInt8] = [index == 0 ? 0x22 : 0x12, 1, 0x64]
            let all: [UInt8] = [index == 0 ? 0x30 : 0x20, 1]
            for (content, target) in [(loader, PauseTarget.loader("a")), (group, .group("d")), (worker, .worker("c")), (all, .everything)] {
                #expect(try read(field, content) == request(target))
            }
            let pairs = [(loader, worker), (loader, all), (worker, all), (loader, group), (group, worker), (group, all)]
            for content in [[], later] + pairs.map({ $0 + $1 }) {
                let reason = "it is of a loader, of a group, of a worker or of all loaders: say one of them"
                let error = CodecError(what: "a pause", reason: reason)
                #expect(try read(field, content) == .unreadable(error), "\(content)")
            }
        }
    }
}
