//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel
import GantryPackedColumns
import GantryWire

/// The front's machine with one client and its workers, without loop, journal and wire: what a turn costs here is what deciding costs.
final class TurnFront {
    private var machine: FrontMachine
    private let settings: FrontSettings
    /// What was recorded as a journal has it, a row each time; nil: nothing has to be restored.
    private var rows: [[UInt8]]?
    private var isStored = false
    private let codec = WireCodec()
    private var now = FrontTime(monotonic: MonotonicTime(nanoseconds: 1_000_000_000), wall: WallTime(milliseconds: 1_700_000_000_000))
    private let client = PeerID(7)
    private var session = SessionID.none
    /// Requests of other clients, each with a label of its own.
    private var others: [PeerID: SessionID] = [:]
    private var request: UInt64 = 0
    private var workers: [TurnWorker] = []
    private var bundles: [BundleNumber: [JournalEntry]] = [:]
    private var toRead: [BundleNumber] = []
    private var reply: Reply?

    /// A front whose bounds hold what cases put into it, with an open session.
    /// - Parameter isRecorded: Whether it can be started again.
    init(isRecorded: Bool = false) {
        var settings = FrontSettings(front: FrontID(1), epoch: Epoch(5), sessionKey: SessionKey(1, 2))
        var definition = FeedDefinition(name: "items", sourceLoader: "http")
        definition.parameters = [.init(name: "number", defaultValue: "0")]
        settings.feeds = [definition]
        settings.refusesUnknownLoaders = false
        settings.bounds.workers = 4_096
        settings.bounds.loaderNames = 16_384
        settings.bounds.sessions = 65_536
        settings.bounds.feeds = 1_048_576
        settings.bounds.views = 1_048_576
        (settings.bounds.attachments, settings.bounds.allAttachments) = (1_048_576, 1_048_576)
        settings.bounds.queuedJobs = 4_000_000
        settings.bounds.queuedByteCount = 4 << 30
        for kind in EndedKind.allCases { settings.bounds.retention[kind].count = 4_000_000 }
        settings.bounds.endedByteCount = 8 << 30
        self.settings = settings
        machine = FrontMachine(settings: settings, now: now)
        var actions = FrontActions()
        machine.start(at: now, into: &actions)
        if isRecorded { rows = [] }
        session = open(client, label: "turns")
    }

    /// A next life reads what this one has written, and begins to serve; it is thrown away.
    func restart() {
        var next = FrontMachine(settings: settings, now: now)
        for (index, row) in (rows ?? []).enumerated() {
            do throws(CodecError) {
                try next.restore(codec.decodeEntries(row), turn: TurnNumber(UInt64(index + 1)), isSlice: isStored)
            } catch { preconditionFailure("\(error)") }
        }
        var actions = FrontActions()
        next.start(at: now, into: &actions)
    }

    /// All that was recorded is a checkpoint from now on.
    func store() {
        rows = machine.state.slices(LoopSettings(), settings.durability).map(codec.encode)
        isStored = true
    }

    /// Another client comes.
    func open(_ number: Int) { others[Self.peer(number)] = open(Self.peer(number), label: "client-\(number)") }

    /// Clients beside its own.
    var otherClients: Int { others.count }

    /// Another client is gone.
    func lose(_ number: Int) { handle(.peerLost(Self.peer(number))) }

    private static func peer(_ number: Int) -> PeerID { PeerID(UInt64(1_000_000 + number)) }

    private func open(_ peer: PeerID, label: String) -> SessionID {
        let envelope = ClientEnvelope(messages: [.hello(.init(label: label))])
        for case .send(_, let session, .welcome) in handle(.clientSent(peer, Principal.everything, envelope)) { return session }
        preconditionFailure("the front welcomes nobody")
    }

    /// A worker registers.
    func attach(slots: UInt32 = 2, prefetch: UInt32 = 4_096, loaders: [String] = ["noop"]) {
        workers.append(TurnWorker(UInt64(workers.count + 1)))
        let worker = workers[workers.count - 1]
        handle(.workerSent(worker.peer, Principal.everything, worker.registration(slots: slots, prefetch: prefetch, loaders: loaders)))
    }

    /// Another client submits a job.
    func submit(loader: String, by number: Int) {
        let submit = ClientMessage.Submit(
            number: RequestNumber(1), lowestUnanswered: RequestNumber(1), loader: loader, options: JobOptionsColumn(),
            reportsOutcomes: false, arguments: [[9, 9]])
        let peer = Self.peer(number)
        handle(.clientSent(peer, Principal.everything, ClientEnvelope(session: others[peer] ?? .none, messages: [.submit(submit)])))
    }

    /// Submits jobs of one loader; the first.
    @discardableResult
    func submit(_ count: Int, loader: String = "noop", priority: UInt8 = 5, key: UniqueKey? = nil) -> JobID {
        request += 1
        let options = JobOptions(priority: priority, uniqueKey: key)
        let submit = ClientMessage.Submit(
            number: RequestNumber(request), lowestUnanswered: RequestNumber(request), loader: loader, options: JobOptionsColumn(options),
            reportsOutcomes: false, arguments: PackedBytes(repeating: [9, 9], count: count))
        send(.submit(submit))
        guard case .jobsAccepted(let first, _, _, _)? = reply else {
            preconditionFailure("jobs were not accepted: \(String(describing: reply))")
        }
        return first
    }

    /// The reply to a request, read bundles included.
    @discardableResult
    func ask(_ body: RequestBody) -> Reply {
        request += 1
        reply = nil
        send(.request(.init(number: RequestNumber(request), lowestUnanswered: RequestNumber(request), body: body)))
        while reply == nil {
            settle()
            guard reply == nil else { break }
            precondition(!toRead.isEmpty, "no reply to \(body)")
            let numbers = toRead
            toRead = []
            for number in numbers { handle(.bundleRead(number, bundles[number])) }
        }
        guard let reply else { preconditionFailure("no reply to \(body)") }
        if case .refused(let failure, _) = reply { preconditionFailure("\(body) is refused: \(failure.text)") }
        return reply
    }

    /// The turn ends: workers get what they are granted.
    func settle() {
        handle(.inputRead(TurnReading(began: now.monotonic, isWorkersDone: true, isClientsDone: true)))
    }

    /// Time passes.
    func pass(milliseconds: Int64) {
        now = FrontTime(
            monotonic: now.monotonic.advanced(by: .milliseconds(milliseconds)), wall: now.wall.advanced(by: .milliseconds(milliseconds)))
    }

    /// Workers report all that they hold.
    func endHeld(failing: Bool = false, isOfManyCodes: Bool = false, content: ObjectReference? = nil) {
        for index in workers.indices where !workers[index].held.isEmpty {
            let envelope = workers[index].report(failing: failing, isOfManyCodes: isOfManyCodes, content: content)
            handle(.workerSent(workers[index].peer, Principal.everything, envelope))
        }
    }

    /// Feeds' jobs end until none is held.
    func load(_ content: ObjectReference) {
        settle()
        while workers.contains(where: { !$0.held.isEmpty }) {
            endHeld(content: content)
            settle()
        }
    }

    /// An object is found damaged.
    func damage(_ object: ObjectDigest) { handle(.objectDamaged(object)) }

    /// An object is found damaged, and turns follow until all feeds have let go of it.
    func letGo(of object: ObjectDigest) {
        damage(object)
        repeat { settle() } while machine.nextDeadline.map { $0 <= now.monotonic } ?? false
    }

    /// Observers are told the counts.
    func showCounts() {
        guard case .counts(let counts)? = machine.item("counts", of: .jobs) else { preconditionFailure("no counts") }
        precondition(!counts.failures.isEmpty, "no failure is counted")
    }

    /// So many jobs come and end; `isOfManyCodes`: each fails with a code of its own.
    func run(_ count: Int, failing: Bool = false, isOfManyCodes: Bool = false) {
        var left = count
        while left > 0 {
            let part = min(left, 1_000)
            submit(part)
            settle()
            while workers.contains(where: { !$0.held.isEmpty }) {
                endHeld(failing: failing, isOfManyCodes: isOfManyCodes)
                settle()
            }
            left -= part
        }
    }

    /// Jobs that have ended leave the state for bundles.
    func bundle() {
        handle(.checkpointNears(isNew: true))
        while !machine.isReadyForCheckpoint { handle(.checkpointNears(isNew: false)) }
    }

    private func send(_ message: ClientMessage) {
        handle(.clientSent(client, Principal.everything, ClientEnvelope(session: session, messages: [message])))
    }

    @discardableResult
    private func handle(_ event: FrontEvent) -> [FrontAction] {
        var decided = FrontActions()
        machine.handle(event, at: now, into: &decided)
        let actions = decided.map(\.action)
        if rows != nil {
            let entries = actions.compactMap { action in if case .record(let entry) = action { entry } else { nil } }
            if !entries.isEmpty { rows?.append(codec.encode(entries)) }
        }
        for action in actions {
            switch action {
            case .send(client, _, .reply(RequestNumber(request), let reply, _)): self.reply = reply
            case .sendToWorker(let peer, let message), .sendToWorkerApart(let peer, let message):
                if let index = workers.firstIndex(where: { $0.peer == peer }) { workers[index].take(message) }
            case .makeBundle(let number, let entries): bundles[number] = entries
            case .readBundle(let number): toRead.append(number)
            default: break
            }
        }
        return actions
    }
}
