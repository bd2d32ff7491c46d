//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel
import GantryWireMessages
import SwiftProtobuf

/// The codec of `gantry.proto` and of the journal's entries: total, bounded, deterministic.
///
/// Values over the bounds of the protocol document are refused on reading. Writing cuts sentences for people (of failures, progress,
/// refusals and timelines) at their bound and checks nothing else, so who makes a value keeps the other bounds.
package struct WireCodec: EnvelopeCodec {
    /// The format of entries that this version reads and writes.
    package static let entriesFormat: UInt32 = 3

    /// A codec; all are alike.
    package init() {}

    /// Reads a message; unknown fields are dropped while reading.
    func decode<M: Mapped>(_: M.Type, _ bytes: [UInt8], _ what: String, within bounds: Bounds = .messages) throws(CodecError) -> M.Value {
        try parse(M.self, bytes, what).value(within: bounds)
    }

    /// Reads a message without looking at what it says.
    func parse<M: SwiftProtobuf.Message>(_: M.Type, _ bytes: [UInt8], _ what: String) throws(CodecError) -> M {
        var options = BinaryDecodingOptions()
        options.discardUnknownFields = true
        do {
            return try M(serializedBytes: bytes, options: options)
        } catch {
            throw CodecError(
                what: what, reason: "these \(bytes.count) bytes are not a protobuf message of that kind\(Self.cause(of: error))")
        }
    }

    /// What is wrong with bytes, in words for people; empty where there is no more to say.
    private static func cause(of error: any Error) -> String {
        switch error as? BinaryDecodingError {
        case .truncated: ": they end in the middle of a field"
        case .invalidUTF8: ": a text in them is not UTF-8"
        case .messageDepthLimit: ": messages lie too deep in each other"
        case .trailingGarbage, .malformedProtobuf, .missingRequiredFields, .internalExtensionError, nil: ""
        }
    }

    /// Writes a message; fields are in order of their numbers.
    func bytes(of message: some SwiftProtobuf.Message) -> [UInt8] {
        do {
            return try message.serializedBytes()
        } catch {
            preconditionFailure("a message without required fields could not be written: \(error)")
        }
    }
}

// MARK: Clients

extension WireCodec {
    /// Reads what a client sent.
    package func decodeClient(_ bytes: [UInt8]) throws(CodecError) -> ClientEnvelope {
        try decode(WireClientEnvelope.self, bytes, "a client's frame", within: .requests)
    }
    /// Writes what a client sends.
    package func encode(_ envelope: ClientEnvelope) -> [UInt8] { bytes(of: WireClientEnvelope(envelope)) }

    /// Reads what the front sent to a client.
    package func decodeFront(_ bytes: [UInt8]) throws(CodecError) -> FrontEnvelope {
        try decode(WireFrontEnvelope.self, bytes, "a frame for a client")
    }
    /// Writes what the front sends to a client.
    package func encode(_ envelope: FrontEnvelope) -> [UInt8] { bytes(of: WireFrontEnvelope(envelope)) }
    /// Writes a part of a snapshot, to be put behind an envelope without messages: the messages are its last field, and what is zero takes no
    /// bytes.
    package func encode(_ part: FrontMessage.SnapshotPart) -> [UInt8] {
        encode(FrontEnvelope(front: .none, epoch: .none, session: .none, messages: [.snapshot(part)]))
    }

    /// Reads what was published.
    package func decodePublication(_ bytes: [UInt8]) throws(CodecError) -> Publication {
        try decode(WirePublication.self, bytes, "a publication")
    }
    /// Writes what is published.
    package func encode(_ publication: Publication) -> [UInt8] { bytes(of: WirePublication(publication)) }

    /// Reads an item's value.
    package func decodeItem(_ bytes: [UInt8]) throws(CodecError) -> ItemValue { try decode(WireItem.self, bytes, "an item") }
    /// Writes an item's value.
    package func encode(_ item: ItemValue) -> [UInt8] { bytes(of: WireItem(item)) }

    /// Reads a request for a page; one that breaks a rule is refused under its number.
    package func decodePageRequest(_ bytes: [UInt8]) throws(UnreadablePageRequest) -> PageRequest {
        let message: WirePageRequest
        do throws(CodecError) {
            message = try parse(WirePageRequest.self, bytes, "a request for a page")
        } catch {
            throw UnreadablePageRequest(error)
        }
        do throws(CodecError) {
            return try message.value(within: .messages)
        } catch {
            throw UnreadablePageRequest(number: message.number, error)
        }
    }
    /// Writes a request for a page.
    package func encode(_ request: PageRequest) -> [UInt8] { bytes(of: WirePageRequest(request)) }

    /// Reads a page.
    package func decodePageReply(_ bytes: [UInt8]) throws(CodecError) -> PageReply {
        try decode(WirePageReply.self, bytes, "a page")
    }
    /// Writes a page.
    package func encode(_ reply: PageReply) -> [UInt8] { bytes(of: WirePageReply(reply)) }
}

// MARK: Workers

extension WireCodec {
    /// Reads what a worker sent.
    package func decodeWorker(_ bytes: [UInt8]) throws(CodecError) -> WorkerEnvelope {
        try decode(WireWorkerEnvelope.self, bytes, "a worker's frame")
    }
    /// Writes what a worker sends.
    package func encode(_ envelope: WorkerEnvelope) -> [UInt8] { bytes(of: WireWorkerEnvelope(envelope)) }

    /// Reads what the front sent to a worker.
    package func decodeWorkerBound(_ bytes: [UInt8]) throws(CodecError) -> WorkerBoundEnvelope {
        try decode(WireWorkerBoundEnvelope.self, bytes, "a frame for a worker")
    }
    /// Writes what the front sends to a worker.
    package func encode(_ envelope: WorkerBoundEnvelope) -> [UInt8] { bytes(of: WireWorkerBoundEnvelope(envelope)) }
}

// MARK: Entries

extension WireCodec {
    /// Reads the entries of a journal row; no bytes are no entries. A row of another format is refused by name, and one with
    /// numbers that no front comes to.
    package func decodeEntries(_ bytes: [UInt8]) throws(CodecError) -> [JournalEntry] {
        guard !bytes.isEmpty else { return [] }
        let format = try parse(WireJournalEntriesHead.self, bytes, "the format of a journal row").format
        guard format == Self.entriesFormat else {
            let other =
                "it has format \(format), this version reads format \(Self.entriesFormat): start the "
                + (format > Self.entriesFormat ? "newer version" : "older version, or begin with another folder")
            throw CodecError(what: "a journal row", reason: format == 0 ? "it names no format" : other)
        }
        let row = try parse(WireJournalEntries.self, bytes, "a journal row")
        try JournalNumbers.check(row)
        return try Bounds.journal.values(row.entries, "entries")
    }

    /// Writes the entries of a journal row, format number first; no entries are no bytes.
    package func encode(_ entries: [JournalEntry]) -> [UInt8] {
        guard !entries.isEmpty else { return [] }
        var row = WireJournalEntries()
        row.format = Self.entriesFormat
        row.entries = entries.map(WireJournalEntry.init)
        return bytes(of: row)
    }
}
