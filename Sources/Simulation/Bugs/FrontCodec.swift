//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import Wire

/// The codec of a simulated front: the production one, which lies only where a bug is injected.
struct FrontCodec: EnvelopeCodec {
    private let bug: InjectedBug?
    private let memory = CodecMemory()
    private let wire = WireCodec()

    init(_ bug: InjectedBug?) { self.bug = bug }

    func decodeClient(_ bytes: [UInt8]) throws(CodecError) -> ClientEnvelope {
        var envelope = try wire.decodeClient(bytes)
        if bug == .filterLost { envelope.messages = envelope.messages.map(\.withoutFilter) }
        return envelope
    }

    func decodeWorker(_ bytes: [UInt8]) throws(CodecError) -> WorkerEnvelope {
        var envelope = try wire.decodeWorker(bytes)
        switch bug {
        case .stoppingIsStopped: envelope.messages = envelope.messages.map { memory.withStopsAsEnds($0) }
        case .ackedTooEarly: memory.noteReports(envelope)
        case .slotTooMany: envelope.messages = envelope.messages.map(\.withOneSlotMore)
        case .durableTooEarly, .renewalsOverlooked, .repliesLeftOut, .bookmarksLeftOut, .rankMisread, .cancelsLeftOut,
            .quarantineTooEarly, .countsSpoiled, .filterLost, .itemSpoiled, .returnsLeftOut, .checkpointForgetsViews, .collectsNamed,
            .framesTooLarge, .cutTooFar, .endedKeptTooLong, .endsSpoiled, .stoppedTakenForEnded, nil:
            break
        }
        return envelope
    }

    func encode(_ envelope: WorkerBoundEnvelope) -> [UInt8] {
        memory.noteGrants(envelope)
        var sent = envelope
        if bug == .cancelsLeftOut { sent.messages = sent.messages.compactMap(\.withoutCancels) }
        if bug == .ackedTooEarly, let reports = memory.takeReports() { sent.messages.append(.settled(reports: reports)) }
        return wire.encode(sent)
    }

    func encode(_ envelope: FrontEnvelope) -> [UInt8] {
        var sent = envelope
        if bug == .endsSpoiled { sent.messages = sent.messages.map(\.withFirstEndSpoiled) }
        return wire.encode(sent)
    }

    func encode(_ item: ItemValue) -> [UInt8] {
        if bug == .countsSpoiled, case .counts(var counts) = item {
            counts.succeeded += 1
            return wire.encode(.counts(counts))
        }
        if bug == .itemSpoiled, case .worker(var worker) = item {
            worker.slotsTaken += 1
            return wire.encode(.worker(worker))
        }
        return wire.encode(item)
    }

    func decodeFacts(_ bytes: [UInt8]) throws(CodecError) -> [Fact] {
        let facts = try wire.decodeFacts(bytes)
        return bug == .rankMisread ? facts.map(\.withoutPriority) : facts
    }

    func encode(_ facts: [Fact]) -> [UInt8] {
        let isCheckpoint = facts.contains(where: \.isCheckpointHead)
        let written = facts.filter { fact in
            switch fact {
            case .replyKept: bug != .repliesLeftOut
            case .returned: bug != .returnsLeftOut
            case .viewChanged: bug != .checkpointForgetsViews || !isCheckpoint
            case .sessionOpened, .sessionEnded, .jobsAccepted, .feedJobAccepted, .granted, .requeued, .ended, .cancelRequested,
                .workerAttached, .workerLost, .feedChanged, .feedForgotten, .viewForgotten, .idsReserved, .jobsStored, .countsStored,
                .epochBegan:
                true
            }
        }
        return wire.encode(written)
    }

    // What no bug spoils.

    func encode(_ envelope: ClientEnvelope) -> [UInt8] { wire.encode(envelope) }
    func encode(_ part: FrontMessage.SnapshotPart) -> [UInt8] { wire.encode(part) }
    func decodeFront(_ bytes: [UInt8]) throws(CodecError) -> FrontEnvelope { try wire.decodeFront(bytes) }
    func encode(_ envelope: WorkerEnvelope) -> [UInt8] { wire.encode(envelope) }
    func decodeWorkerBound(_ bytes: [UInt8]) throws(CodecError) -> WorkerBoundEnvelope { try wire.decodeWorkerBound(bytes) }
    func decodePublication(_ bytes: [UInt8]) throws(CodecError) -> Publication { try wire.decodePublication(bytes) }
    func encode(_ publication: Publication) -> [UInt8] { wire.encode(publication) }
    func decodeItem(_ bytes: [UInt8]) throws(CodecError) -> ItemValue { try wire.decodeItem(bytes) }
    func decodePageRequest(_ bytes: [UInt8]) throws(CodecError) -> PageRequest { try wire.decodePageRequest(bytes) }
    func encode(_ request: PageRequest) -> [UInt8] { wire.encode(request) }
    func decodePageReply(_ bytes: [UInt8]) throws(CodecError) -> PageReply { try wire.decodePageReply(bytes) }
    func encode(_ reply: PageReply) -> [UInt8] { wire.encode(reply) }
}
