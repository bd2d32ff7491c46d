//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import Wire

/// The codec of a simulated client: the production one, which lies only where a bug is injected.
struct ClientCodec: EnvelopeCodec {
    private let bug: InjectedBug?
    private let wire = WireCodec()

    init(_ bug: InjectedBug?) { self.bug = bug }

    func decodePublication(_ bytes: [UInt8]) throws(CodecError) -> Publication {
        let publication = try wire.decodePublication(bytes)
        guard bug == .clientMisreads, case .change(var change) = publication, let put = change.puts.first, !put.value.isEmpty else {
            return publication
        }
        change.puts[0].value[put.value.count - 1] ^= 1
        change.bookmark.checksum.remove(key: put.key, value: put.value)
        change.bookmark.checksum.add(key: put.key, value: change.puts[0].value)
        return .change(change)
    }

    // What no bug spoils.

    func decodeClient(_ bytes: [UInt8]) throws(CodecError) -> ClientEnvelope { try wire.decodeClient(bytes) }
    func encode(_ envelope: ClientEnvelope) -> [UInt8] { wire.encode(envelope) }
    func decodeFront(_ bytes: [UInt8]) throws(CodecError) -> FrontEnvelope { try wire.decodeFront(bytes) }
    func encode(_ envelope: FrontEnvelope) -> [UInt8] { wire.encode(envelope) }
    func encode(_ part: FrontMessage.SnapshotPart) -> [UInt8] { wire.encode(part) }
    func decodeWorker(_ bytes: [UInt8]) throws(CodecError) -> WorkerEnvelope { try wire.decodeWorker(bytes) }
    func encode(_ envelope: WorkerEnvelope) -> [UInt8] { wire.encode(envelope) }
    func decodeWorkerBound(_ bytes: [UInt8]) throws(CodecError) -> WorkerBoundEnvelope { try wire.decodeWorkerBound(bytes) }
    func encode(_ envelope: WorkerBoundEnvelope) -> [UInt8] { wire.encode(envelope) }
    func encode(_ publication: Publication) -> [UInt8] { wire.encode(publication) }
    func decodeItem(_ bytes: [UInt8]) throws(CodecError) -> ItemValue { try wire.decodeItem(bytes) }
    func encode(_ item: ItemValue) -> [UInt8] { wire.encode(item) }
    func decodePageRequest(_ bytes: [UInt8]) throws(UnreadablePageRequest) -> PageRequest { try wire.decodePageRequest(bytes) }
    func encode(_ request: PageRequest) -> [UInt8] { wire.encode(request) }
    func decodePageReply(_ bytes: [UInt8]) throws(CodecError) -> PageReply { try wire.decodePageReply(bytes) }
    func encode(_ reply: PageReply) -> [UInt8] { wire.encode(reply) }
    func decodeEntries(_ bytes: [UInt8]) throws(CodecError) -> [JournalEntry] { try wire.decodeEntries(bytes) }
    func encode(_ entries: [JournalEntry]) -> [UInt8] { wire.encode(entries) }
}
