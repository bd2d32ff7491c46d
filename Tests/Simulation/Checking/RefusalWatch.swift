//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// What was asked under which number, by whomever: the codes of refusals are those that the protocol names for it, for programs decide by them what
/// to do next.
///
/// It is read off the bytes that have come, and no further than to the kind of a request: a request that names something which cannot be has one, too.
struct RefusalWatch {
    private enum Asked: Hashable {
        case submit
        /// The number of its field in `Request` is its name on the wire.
        case request(field: Int)

        var known: (request: String, codes: Set<FailureCode>)? {
            switch self {
            case .submit: KnownRefusals.submit
            case .request(let field): KnownRefusals.all[field]
            }
        }
    }

    /// Who keeps to nothing asks for several things under one number.
    private var asked: [SessionID: [RequestNumber: Set<Asked>]] = [:]
    /// What was asked behind a hello, in the session that this opened or took up, whichever that was.
    private var askedBehindHello: [RequestNumber: Set<Asked>] = [:]

    /// A client's frame has reached the front.
    mutating func arrived(_ frame: [UInt8]) {
        var (session, messages) = (SessionID.none, [ArraySlice<UInt8>]())
        for field in WireFields(frame[...]) {
            if field.number == 1 { session = SessionID(field.value) }
            if field.number == 2 { messages.append(field.bytes) }
        }
        var greeted = false
        for message in messages { note(message, of: session, &greeted) }
    }

    private mutating func note(_ message: ArraySlice<UInt8>, of session: SessionID, _ greeted: inout Bool) {
        var (kind, body) = (0, [UInt8]())
        // The last choice counts, and the parts of one that comes twice are put together.
        for field in WireFields(message) {
            body = field.number == kind ? body + field.bytes : Array(field.bytes)
            kind = field.number
        }
        // The numbers of the fields of a client's message are 1 for a hello, 4 for a request, 5 for a submit.
        greeted = greeted || kind == 1
        guard kind == 4 || kind == 5 else { return }
        var (number, asks) = (RequestNumber.none, kind == 5 ? Asked.submit : nil)
        for field in WireFields(body[...]) {
            if field.number == 1 { number = RequestNumber(field.value) }
            // Under another wire type its number is a field that nobody knows.
            if kind == 4, field.isMessage, KnownRefusals.all[field.number] != nil { asks = .request(field: field.number) }
        }
        guard let asks else { return }
        if greeted {
            askedBehindHello[number, default: []].insert(asks)
        } else {
            asked[session, default: [:]][number, default: []].insert(asks)
        }
    }

    /// What is wrong with the code of a refusal; nil: nothing, or it cannot be read what was asked.
    func fault(of failure: Failure, to number: RequestNumber, of session: SessionID) -> String? {
        let asked = (asked[session]?[number] ?? []).union(askedBehindHello[number] ?? [])
        guard !asked.isEmpty else { return nil }
        let known = asked.compactMap(\.known)
        guard !known.contains(where: { $0.codes.contains(failure.code) }) else { return nil }
        let names = known.map(\.request).sorted().joined(separator: " or ")
        return "session \(session) is refused \(names) with \(failure.code): \(failure.text)"
    }
}

/// The fields of a message of Protocol Buffers in their order, up to the first that cannot be read.
private struct WireFields: Sequence, IteratorProtocol {
    private var rest: ArraySlice<UInt8>

    init(_ message: ArraySlice<UInt8>) { rest = message }

    /// The next field: its number, and its value, or its bytes where it may be a message.
    mutating func next() -> (number: Int, value: UInt64, bytes: ArraySlice<UInt8>, isMessage: Bool)? {
        guard let tag = varint() else { return nil }
        let number = Int(tag >> 3)
        switch tag & 7 {
        case 0: return varint().map { (number, $0, [], false) }
        case 1: return take(8).map { (number, Self.value(of: $0), [], false) }
        case 2: return varint().flatMap { take($0) }.map { (number, 0, $0, true) }
        case 5: return take(4).map { (number, Self.value(of: $0), [], false) }
        default: return nil
        }
    }

    private mutating func take(_ count: UInt64) -> ArraySlice<UInt8>? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }

    private mutating func varint() -> UInt64? {
        var (value, shift) = (UInt64(0), 0)
        while let byte = rest.popFirst() {
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }

    /// The first byte is the lowest one.
    private static func value(of bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
}
