//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryWire

extension Ledger {
    /// Compares the code of a refusal with those that the protocol names for the request: programs decide by them what to do next.
    func checkCode(of failure: Failure, to body: RequestBody, of client: ClientProcess) {
        guard let field = RequestField(of: body), let known = KnownRefusals.all[field.number] else {
            return world.violate(.refusalsAreKnown, "\(client.name) has asked for \(body), which the protocol does not have")
        }
        guard !known.codes.contains(failure.code) else { return }
        world.violate(.refusalsAreKnown, "\(client.name) is refused \(known.request) with \(failure.code): \(failure.text)")
    }
}

/// The field of `Request` in which a request travels: its number is the request's name on the wire.
private struct RequestField {
    let number: Int

    init?(of body: RequestBody) {
        let request = ClientMessage.Request(number: RequestNumber(1), lowestUnanswered: RequestNumber(1), body: body)
        let frame = WireCodec().encode(ClientEnvelope(messages: [.request(request)]))
        // `messages` of the envelope, `request` of the message; the two numbers of the request stand before what is asked.
        guard let message = Self.fields(of: frame)[2], let fields = Self.fields(of: message)[4].map(Self.fields) else { return nil }
        guard let number = fields.keys.first(where: { $0 > 2 }) else { return nil }
        self.number = number
    }

    /// The bytes of the fields of a message of Protocol Buffers, by their numbers.
    private static func fields(of message: [UInt8]) -> [Int: [UInt8]] {
        var (fields, rest) = ([Int: [UInt8]](), message[...])
        while let tag = varint(&rest) {
            let length = tag & 7 == 1 ? 8 : tag & 7 == 2 ? varint(&rest) ?? 0 : 0
            fields[tag >> 3] = Array(rest.prefix(length))
            if tag & 7 == 0 { _ = varint(&rest) }
            rest = rest.dropFirst(length)
        }
        return fields
    }

    private static func varint(_ bytes: inout ArraySlice<UInt8>) -> Int? {
        var (value, shift) = (0, 0)
        while let byte = bytes.popFirst() {
            value |= Int(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }
}
