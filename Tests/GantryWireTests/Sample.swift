//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryWire

/// A value of any kind of frame, with the codec's function for that kind.
enum Sample: Hashable {
    case client(ClientEnvelope)
    case front(FrontEnvelope)
    case worker(WorkerEnvelope)
    case workerBound(WorkerBoundEnvelope)
    case publication(Publication)
    case item(ItemValue)
    case pageRequest(PageRequest)
    case pageReply(PageReply)
    case entries([JournalEntry])

    /// A kind of frame, by the message that the golden texts name.
    enum Kind: String, CaseIterable {
        case client = "ClientEnvelope"
        case front = "FrontEnvelope"
        case worker = "WorkerEnvelope"
        case workerBound = "WorkerBoundEnvelope"
        case publication = "Publication"
        case item = "Item"
        case pageRequest = "PageRequest"
        case pageReply = "PageReply"
        case entries = "JournalEntries"
    }

    var kind: Kind {
        switch self {
        case .client: .client
        case .front: .front
        case .worker: .worker
        case .workerBound: .workerBound
        case .publication: .publication
        case .item: .item
        case .pageRequest: .pageRequest
        case .pageReply: .pageReply
        case .entries: .entries
        }
    }

    var encoded: [UInt8] {
        let codec = WireCodec()
        return switch self {
        case .client(let value): codec.encode(value)
        case .front(let value): codec.encode(value)
        case .worker(let value): codec.encode(value)
        case .workerBound(let value): codec.encode(value)
        case .publication(let value): codec.encode(value)
        case .item(let value): codec.encode(value)
        case .pageRequest(let value): codec.encode(value)
        case .pageReply(let value): codec.encode(value)
        case .entries(let value): codec.encode(value)
        }
    }

    init(_ kind: Kind, decoding bytes: [UInt8]) throws(CodecError) {
        let codec = WireCodec()
        self =
            switch kind {
            case .client: .client(try codec.decodeClient(bytes))
            case .front: .front(try codec.decodeFront(bytes))
            case .worker: .worker(try codec.decodeWorker(bytes))
            case .workerBound: .workerBound(try codec.decodeWorkerBound(bytes))
            case .publication: .publication(try codec.decodePublication(bytes))
            case .item: .item(try codec.decodeItem(bytes))
            case .pageRequest: .pageRequest(try Self.pageRequest(bytes))
            case .pageReply: .pageReply(try codec.decodePageReply(bytes))
            case .entries: .entries(try codec.decodeEntries(bytes))
            }
    }

    /// A request for a page; what is wrong with it without its number.
    private static func pageRequest(_ bytes: [UInt8]) throws(CodecError) -> PageRequest {
        do throws(UnreadablePageRequest) { return try WireCodec().decodePageRequest(bytes) } catch { throw error.error }
    }
}
