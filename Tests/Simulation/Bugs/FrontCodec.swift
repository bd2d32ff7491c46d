//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import GantryWire
import Synchronization

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
        if bug == .linesMixed { envelope.messages = envelope.messages.map(\.withLinesOfNextJob) }
        if bug == .slotTooMany { envelope.messages = envelope.messages.map(\.withOneSlotMore) }
        if bug == .resultsStale { envelope.messages = envelope.messages.map(\.withStaleResults) }
        if bug == .ackedTooEarly { memory.noteReports(envelope) }
        return envelope
    }

    func encode(_ envelope: WorkerBoundEnvelope) -> [UInt8] {
        memory.noteGrants(envelope)
        var sent = envelope
        if bug == .cancelsLeftOut { sent.messages = sent.messages.compactMap(\.withoutCancels) }
        if bug == .drainsLeftOut { sent.messages.removeAll { $0 == .drain } }
        if bug == .editsBeginAnew { sent.messages = sent.messages.map(\.withoutList) }
        if bug == .statesDropped { sent.messages = sent.messages.map(\.withoutStates) }
        if bug == .timeoutsHalved { sent.messages = sent.messages.map(\.withHalfTheTimeouts) }
        if bug == .limitsMisstated { sent.messages = sent.messages.map(\.withLowerLimits) }
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
        let bytes = wire.encode(spoiled(written))
        return bug == .rowsUnreadable ? bytes.dropLast(3) : bytes
    }

    private func spoiled(_ entries: [JournalEntry]) -> [JournalEntry] {
        switch bug {
        case .repeatedAgain: entries.map(\.withCursorBehind)
        case .repeatsLeftOut: entries.map(\.withoutRepeats)
        case .snoozesLeftOut: entries.map(\.withoutSnoozes)
        case .duesTooEarly: entries.map(\.withEarlyDues)
        case .pausesCut: entries.map(\.withHalfThePauses)
        case .limitsDropped: entries.map(\.withoutRulesOfLimits)
        case .runsCutShort: entries.map(\.withoutLengthsOfRuns)
        case .expiriesLate: entries.map { $0.withEndings { $0.expiresAt = $0.expiresAt?.advanced(by: .seconds(3_600)) } }
        case .totalsLate: entries.map { $0.withEndings { $0.totalTimeout = $0.totalTimeout.map { $0 * 2 } } }
        default: entries
        }
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

/// What a lying codec remembers of the frames that it has seen, so that its lies are plausible.
private final class CodecMemory: Sendable {
    private struct State {
        /// The newest lease of each job and who holds it, and the job of each lease.
        var leases: [UInt64: (lease: UInt64, holder: RegistrationNumber)] = [:]
        var jobs: [UInt64: UInt64] = [:]
        /// How each job was last said to have ended, and under which lease.
        var ends: [UInt64: (lease: UInt64, outcome: Outcome, result: [UInt8])] = [:]
        /// Reports that were read and not yet acknowledged by the lie.
        var reports: [UInt64] = []
        /// The entry that the last row lacks.
        var late: JournalEntry?

        /// The earlier ends of jobs that a worker holds anew, as if it reported them itself; nil: there are none.
        mutating func earlierEnds(of holder: RegistrationNumber) -> WorkerMessage.Ended? {
            var report = WorkerMessage.Ended(report: .max)
            for (job, end) in ends.sorted(by: { $0.key < $1.key }) {
                guard let newest = leases[job], newest.holder == holder, newest.lease != end.lease else { continue }
                ends[job] = nil
                report.jobs.append(job)
                report.leases.append(newest.lease)
                report.outcomes.append(end.outcome)
                report.results.append(end.result)
            }
            return report.jobs.isEmpty ? nil : report
        }
    }

    private let state = Mutex(State())

    /// Notes the leases of the grants in a frame.
    func noteGrants(_ envelope: WorkerBoundEnvelope) {
        for case .grant(let grant) in envelope.messages {
            state.withLock { state in
                for (job, lease) in zip(grant.jobs, grant.leases) {
                    state.leases[job] = (lease, grant.registrationNumber)
                    state.jobs[lease] = job
                }
            }
        }
    }

    /// Notes the reports in a frame.
    func noteReports(_ envelope: WorkerEnvelope) {
        for case .ended(let ended) in envelope.messages { state.withLock { $0.reports.append(ended.report) } }
    }

    /// The reports noted since the last time; nil: none.
    func takeReports() -> [UInt64]? {
        state.withLock { state in
            defer { state.reports = [] }
            return state.reports.isEmpty ? nil : state.reports
        }
    }

    /// The entries of a row but for the last of several, behind what the row before lacks.
    func withoutLast(_ entries: [JournalEntry]) -> [JournalEntry] {
        state.withLock { state in
            let all = (state.late.map { [$0] } ?? []) + entries
            state.late = entries.count > 1 ? entries.last : nil
            return entries.count > 1 ? all.dropLast() : all
        }
    }

    /// The envelope as if its worker reported once more how its jobs had ended under earlier leases.
    func withEarlierEnds(_ envelope: WorkerEnvelope) -> WorkerEnvelope {
        var envelope = envelope
        for case .ended(let ended) in envelope.messages { note(ended) }
        if let earlier = state.withLock({ $0.earlierEnds(of: envelope.registrationNumber) }) { envelope.messages.append(.ended(earlier)) }
        return envelope
    }

    private func note(_ ended: WorkerMessage.Ended) {
        for (row, result) in ended.results.enumerated() {
            state.withLock { $0.ends[ended.jobs[row]] = (ended.leases[row], ended.outcomes[row], Array(result)) }
        }
    }

    /// The message as if work that is told to stop had stopped.
    func withStopsAsEnds(_ message: WorkerMessage) -> WorkerMessage {
        guard case .cancelStep(let lease, _) = message, let job = state.withLock({ $0.jobs[lease.rawValue] }) else { return message }
        var ended = WorkerMessage.Ended(report: .max)
        ended.jobs = [job]
        ended.leases = [lease.rawValue]
        ended.outcomes = [.cancelled]
        ended.results.appendEmpty()
        return .ended(ended)
    }
}

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
