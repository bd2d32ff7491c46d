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

    // MARK: Clients

    func decodeClient(_ bytes: [UInt8]) throws(CodecError) -> ClientEnvelope {
        var envelope = try wire.decodeClient(bytes)
        if let bug { envelope.messages = envelope.messages.map { $0.misread(by: bug) } }
        return envelope
    }

    func encode(_ envelope: FrontEnvelope) -> [UInt8] {
        guard let bug else { return wire.encode(envelope) }
        var sent = envelope
        sent.messages = envelope.messages.map { $0.spoiled(by: bug) }
        let bytes = wire.encode(sent)
        return bug == .framesUnreadable && envelope.messages.contains(where: \.isAnswers) ? bytes.dropLast(3) : bytes
    }

    func encode(_ part: FrontMessage.SnapshotPart) -> [UInt8] { wire.encode(part.spoiled(by: bug)) }

    func encode(_ publication: Publication) -> [UInt8] {
        let bytes = wire.encode(publication)
        return bug == .publicationsUnreadable ? bytes.dropLast(3) : bytes
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
        if bug == .itemsUnreadable, case .feed = item { return [0xFF, 0xFF, 0xFF] }
        return wire.encode(item)
    }

    // MARK: Workers

    func decodeWorker(_ bytes: [UInt8]) throws(CodecError) -> WorkerEnvelope {
        var envelope = try wire.decodeWorker(bytes)
        if bug == .leaseForgiven { envelope = memory.withEarlierEnds(envelope) }
        if bug == .stoppingIsStopped { envelope.messages = envelope.messages.map { memory.withStopsAsEnds($0) } }
        if bug == .reportsDoubled { envelope.messages = envelope.messages.flatMap(\.withReportsTwice) }
        if bug == .slotTooMany { envelope.messages = envelope.messages.map(\.withOneSlotMore) }
        if bug == .resultsStale { envelope.messages = envelope.messages.map(\.withStaleResults) }
        if bug == .ackedTooEarly { memory.noteReports(envelope) }
        return envelope
    }

    func encode(_ envelope: WorkerBoundEnvelope) -> [UInt8] {
        memory.noteGrants(envelope)
        var sent = envelope
        if bug == .cancelsLeftOut { sent.messages = sent.messages.compactMap(\.withoutCancels) }
        if bug == .editsBeginAnew { sent.messages = sent.messages.map(\.withoutList) }
        if bug == .keysMixed { sent.messages = sent.messages.map(\.withOneKey) }
        if bug == .ackedTooEarly, let reports = memory.takeReports() { sent.messages.append(.acknowledged(reports: reports)) }
        return wire.encode(sent)
    }

    // MARK: The journal

    func decodeEntries(_ bytes: [UInt8]) throws(CodecError) -> [JournalEntry] {
        let entries = try wire.decodeEntries(bytes)
        if bug == .workForgotten { return entries.filter { if case .workLeft = $0 { false } else { true } } }
        return bug == .rankMisread ? entries.map(\.withoutPriority) : entries
    }

    func encode(_ entries: [JournalEntry]) -> [UInt8] {
        let entries = bug == .entriesLate ? memory.withoutLast(entries) : entries
        let written = entries.filter { entry in
            if case .replyRetained = entry { return bug != .repliesLeftOut }
            if case .attemptsEnded(let ended) = entry, !ended.cause.mayHaveRun { return bug != .returnsLeftOut }
            return true
        }
        let bytes = wire.encode(written)
        return bug == .rowsUnreadable ? bytes.dropLast(3) : bytes
    }

    // MARK: What no bug spoils

    func encode(_ envelope: ClientEnvelope) -> [UInt8] { wire.encode(envelope) }
    func decodeFront(_ bytes: [UInt8]) throws(CodecError) -> FrontEnvelope { try wire.decodeFront(bytes) }
    func encode(_ envelope: WorkerEnvelope) -> [UInt8] { wire.encode(envelope) }
    func decodeWorkerBound(_ bytes: [UInt8]) throws(CodecError) -> WorkerBoundEnvelope { try wire.decodeWorkerBound(bytes) }
    func decodePublication(_ bytes: [UInt8]) throws(CodecError) -> Publication { try wire.decodePublication(bytes) }
    func decodeItem(_ bytes: [UInt8]) throws(CodecError) -> ItemValue { try wire.decodeItem(bytes) }
    func decodePageRequest(_ bytes: [UInt8]) throws(UnreadablePageRequest) -> PageRequest { try wire.decodePageRequest(bytes) }
    func encode(_ request: PageRequest) -> [UInt8] { wire.encode(request) }
    func decodePageReply(_ bytes: [UInt8]) throws(CodecError) -> PageReply { try wire.decodePageReply(bytes) }
    func encode(_ reply: PageReply) -> [UInt8] { wire.encode(reply) }
}
