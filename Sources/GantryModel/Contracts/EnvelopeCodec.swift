//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Turns messages, items and entries into bytes and back.
///
/// Every function is total: any bytes give a value or a `CodecError`, in time and memory linear in their count. Encoding the same value
/// twice gives the same bytes. Unknown fields are ignored. In an envelope an unknown kind decodes to `unknown` and a message that breaks a rule
/// to `unreadable`, each by itself: the rest of the envelope is read.
package protocol EnvelopeCodec: Sendable {
    /// Reads what a client sent.
    func decodeClient(_ bytes: [UInt8]) throws(CodecError) -> ClientEnvelope
    /// Writes what a client sends.
    func encode(_ envelope: ClientEnvelope) -> [UInt8]
    /// Reads what the front sent to a client.
    func decodeFront(_ bytes: [UInt8]) throws(CodecError) -> FrontEnvelope
    /// Writes what the front sends to a client.
    func encode(_ envelope: FrontEnvelope) -> [UInt8]
    /// Writes a part of a snapshot, to be put behind an envelope of the front that has no messages: together they are the envelope with that
    /// one. So what many clients ask for is written once.
    func encode(_ part: FrontMessage.SnapshotPart) -> [UInt8]
    /// Reads what a worker sent.
    func decodeWorker(_ bytes: [UInt8]) throws(CodecError) -> WorkerEnvelope
    /// Writes what a worker sends.
    func encode(_ envelope: WorkerEnvelope) -> [UInt8]
    /// Reads what the front sent to a worker.
    func decodeWorkerBound(_ bytes: [UInt8]) throws(CodecError) -> WorkerBoundEnvelope
    /// Writes what the front sends to a worker.
    func encode(_ envelope: WorkerBoundEnvelope) -> [UInt8]
    /// Reads what was published.
    func decodePublication(_ bytes: [UInt8]) throws(CodecError) -> Publication
    /// Writes what is published.
    func encode(_ publication: Publication) -> [UInt8]
    /// Reads an item's value.
    func decodeItem(_ bytes: [UInt8]) throws(CodecError) -> ItemValue
    /// Writes an item's value.
    func encode(_ item: ItemValue) -> [UInt8]
    /// Reads a request for a page; one that breaks a rule is refused under its number.
    func decodePageRequest(_ bytes: [UInt8]) throws(UnreadablePageRequest) -> PageRequest
    /// Writes a request for a page.
    func encode(_ request: PageRequest) -> [UInt8]
    /// Reads a page.
    func decodePageReply(_ bytes: [UInt8]) throws(CodecError) -> PageReply
    /// Writes a page.
    func encode(_ reply: PageReply) -> [UInt8]
    /// Reads the entries of a journal row; another format is refused by name.
    func decodeEntries(_ bytes: [UInt8]) throws(CodecError) -> [JournalEntry]
    /// Writes the entries of a journal row, format number first.
    func encode(_ entries: [JournalEntry]) -> [UInt8]
}

/// A request for a page that breaks a rule of the protocol.
package struct UnreadablePageRequest: Error, Hashable, Sendable {
    /// The number that its answer carries; 0: it has none, or none could be read.
    package var number: UInt64
    /// What is wrong with it.
    package var error: CodecError

    package init(number: UInt64 = 0, _ error: CodecError) {
        self.number = number
        self.error = error
    }
}
