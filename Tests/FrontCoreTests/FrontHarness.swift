//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import Testing

@testable import FrontCore

/// Drives a machine by hand: time moves when told, actions are kept, entries can be replayed.
struct FrontHarness {
    var machine: FrontMachine
    var settings: FrontSettings
    var now = FrontTime(monotonic: MonotonicTime(nanoseconds: 1_000_000_000), wall: WallTime(milliseconds: 1_700_000_000_000))
    var entries: [JournalEntry] = []
    /// All that the last event has led to.
    private var last: [FrontAction] = []
    /// All that each event has led to since `follow`.
    private var followed: [[FrontAction]]?
    /// What this life did before its first event.
    var started: [FrontAction] = []
    var nextRequest: UInt64 = 1
    var session = SessionID.none
    let client = PeerID(7)
    /// Whether what is decided leaves; a disk that stands still holds it back.
    var sends = true

    init(_ change: (inout FrontSettings) -> Void = { _ in }) {
        var settings = FrontSettings(front: FrontID(1), epoch: Epoch(5), sessionKey: SessionKey(1, 5))
        var items = FeedDefinition(name: "items", sourceLoader: "http")
        items.parameters = [.init(name: "parameter", defaultValue: "sample")]
        items.fields = ["price"]
        var todos = FeedDefinition(name: "todos", sourceLoader: "http")
        todos.isEditable = true
        var lazy = FeedDefinition(name: "lazy", sourceLoader: "http")
        lazy.loadsOnAttach = true
        settings.feeds = [items, todos, lazy]
        // Most tests submit before a worker is there.
        settings.refusesUnknownLoaders = false
        change(&settings)
        self.settings = settings
        machine = FrontMachine(settings: settings, now: now)
        var actions: [FrontAction] = []
        machine.start(at: now, into: &actions)
        started = actions
        keep(actions)
    }

    private mutating func keep(_ actions: [FrontAction]) {
        for case .record(let entry) in actions { entries.append(entry) }
    }

    /// One event.
    @discardableResult
    mutating func handle(_ event: FrontEvent) -> [FrontAction] {
        var actions: [FrontAction] = []
        machine.handle(event, at: now, into: &actions)
        if sends { machine.handle(.sent(machine.turn.decided), at: now, into: &actions) }
        keep(actions)
        last = actions
        followed?.append(actions)
        return actions
    }

    /// The steps that some work takes.
    mutating func steps(_ work: (inout FrontHarness) -> Void) -> UInt64 {
        let before = machine.turn.context.steps
        work(&self)
        return machine.turn.context.steps &- before
    }

    /// All that the last event has led to, in words (`ActionLines`).
    var decided: [String] { last.lines }

    /// Begins a path, whose events are compared as a whole: none of them may lead to anything that a test does not name.
    mutating func follow() { followed = [] }

    /// All that the events since `follow` have led to, in words, those of each event in a row; the path goes on with what comes next.
    mutating func path() -> [String] {
        defer { followed = [] }
        return (followed ?? []).flatMap(\.lines)
    }

    /// The end of a turn that read everything.
    @discardableResult
    mutating func settle() -> [FrontAction] { handle(.inputRead(upTo: now.monotonic)) }

    mutating func pass(milliseconds: Int64) {
        now.monotonic = now.monotonic.advanced(by: .milliseconds(milliseconds))
        now.wall = now.wall.advanced(by: .milliseconds(milliseconds))
    }

    /// Milliseconds by which a wall clock jumps whose year was set wrongly.
    static let year: Int64 = 366 * 86_400_000

    /// Somebody sets the wall clock, and the loop sees it.
    mutating func setWallClock(milliseconds: Int64) {
        now.wall = now.wall.advanced(by: .milliseconds(milliseconds))
        handle(.clockStepped(by: .milliseconds(milliseconds)))
    }

    mutating func open(label: String = "test", client name: String = "", largestFrame: UInt32 = 1 << 20) {
        var hello = ClientMessage.Hello(label: label)
        hello.client = name
        hello.largestFrame = largestFrame
        nextRequest = 1
        let actions = handle(.clientSent(client, Principal.everything, ClientEnvelope(messages: [.hello(hello)])))
        for case .send(_, let session, .welcome) in actions { self.session = session }
    }

    mutating func send(_ messages: ClientMessage...) -> [FrontAction] {
        handle(.clientSent(client, Principal.everything, ClientEnvelope(session: session, messages: messages)))
    }

    /// The reply to a request under the next number.
    mutating func ask(_ body: RequestBody) -> Reply? {
        let number = RequestNumber(nextRequest)
        nextRequest += 1
        let actions = send(.request(.init(number: number, lowestUnanswered: number, body: body)))
        for case .send(_, _, .reply(number, let reply, _)) in actions { return reply }
        return nil
    }

    /// Submits jobs of one loader; their first id, none if they were refused.
    mutating func submit(_ count: Int, loader: String = "noop", priority: UInt8 = 5, reports: Bool = true) -> JobID {
        submit(count, loader: loader, JobOptionsColumn(JobOptions(priority: priority)), reports: reports)
    }

    /// The same, each with options of its own.
    mutating func submit(_ count: Int, loader: String = "noop", _ options: JobOptionsColumn, reports: Bool = true) -> JobID {
        if case .jobsAccepted(let first, _, _, _)? = askSubmit(count, loader: loader, options, reports: reports) { first } else { .none }
    }

    /// The reply to the same.
    mutating func askSubmit(
        _ count: Int, loader: String = "noop", _ options: JobOptionsColumn = JobOptionsColumn(), reports: Bool = true,
        anyLoader: Bool = false, again: Bool = false
    ) -> Reply? {
        let number = RequestNumber(nextRequest)
        nextRequest += 1
        var submit = ClientMessage.Submit(
            number: number, lowestUnanswered: number, loader: loader, options: options, reportsOutcomes: reports,
            arguments: PackedBytes(repeating: [9, 9], count: count))
        (submit.takesAnyLoader, submit.repeatsAgain) = (anyLoader, again)
        let actions = send(.submit(submit))
        for case .send(_, _, .reply(number, let reply, _)) in actions { return reply }
        return nil
    }

    /// Submits jobs and has the worker take what it is granted of them.
    mutating func run(_ count: Int, loader: String = "noop", reports: Bool = true, on worker: inout WorkerHarness) -> JobID {
        let first = submit(count, loader: loader, reports: reports)
        worker.take(settle())
        return first
    }

    /// A front with an open session, whose worker runs a job.
    static func running(_ loader: String = "slow", slots: UInt32 = 2) -> (front: FrontHarness, worker: WorkerHarness, job: JobID) {
        var (front, worker) = serving(slots: slots)
        let job = front.run(1, loader: loader, on: &worker)
        return (front, worker, job)
    }

    /// A front with an open session and an attached worker.
    static func serving(
        slots: UInt32 = 2, prefetch: UInt32 = 4, loaders: [LoaderDeclaration] = WorkerHarness.loaders
    ) -> (front: FrontHarness, worker: WorkerHarness) {
        var front = FrontHarness()
        var worker = WorkerHarness(1)
        front.open()
        worker.register(with: &front, slots: slots, prefetch: prefetch, loaders: loaders)
        return (front, worker)
    }

    /// Restarts on what was recorded: what a new life knows.
    /// - Parameter isTakenUp: whether the client says hello for its session, which is nobody's until then.
    func restarted(isTakenUp: Bool = true) -> FrontHarness {
        var next = self
        next.settings.epoch = settings.epoch.advanced()
        next.settings.sessionKey = SessionKey(1, next.settings.epoch.rawValue)
        // A boot that is known goes on while no front runs.
        let uptime = Duration.nanoseconds(now.monotonic.nanoseconds)
        if !settings.boot.id.isEmpty { next.settings.boot = BootInstant(id: settings.boot.id, uptime: uptime) }
        next.machine = FrontMachine(settings: next.settings, now: now)
        for (index, entry) in entries.enumerated() { next.machine.restore([entry], of: TurnNumber(UInt64(index + 1)), isSlice: false) }
        var actions: [FrontAction] = []
        next.machine.start(at: now, into: &actions)
        next.started = actions
        next.keep(actions)
        if isTakenUp, session != .none {
            let hello = ClientMessage.Hello(label: "test", resumed: session)
            next.handle(.clientSent(client, Principal.everything, ClientEnvelope(messages: [.hello(hello)])))
        }
        return next
    }

    /// How often something came late in this life, by why.
    var late: [FrontIgnoredReason: UInt64] { machine.turn.context.ignoredCounts }

    /// How often something was refused at a bound in this life, by which.
    var busy: [BusyBound: UInt64] { machine.turn.context.busyCounts }

    /// Whether a job is to run alone next.
    func isSuspected(_ id: JobID) -> Bool { machine.state.jobs[id.rawValue].flags.contains(.suspected) }

    func job(_ id: JobID) -> JobSummary? {
        if case .job(let job) = machine.item("job", of: .job(id)) { return job }
        return nil
    }

    func feed(_ key: FeedKey) -> FeedState? {
        if case .feed(let feed) = machine.item("feed", of: .feed(key)) { return feed }
        return nil
    }

    func view(_ key: FeedKey, _ name: String = "shared") -> ViewState? {
        if case .view(let view) = machine.item("view", of: .view(key, name)) { return view }
        return nil
    }

    func worker(_ id: WorkerID) -> WorkerSummary? {
        if case .worker(let worker) = machine.item("worker/\(id)", of: .workers) { return worker }
        return nil
    }

    var counts: JobCounts? {
        if case .counts(let counts) = machine.item("counts", of: .jobs) { return counts }
        return nil
    }
}

extension FrontMachine {
    /// All that a checkpoint writes if nothing changes meanwhile.
    var wholeCheckpoint: [JournalEntry] {
        var (entries, cursor) = state.beginCheckpoint(turn.settings.durability)
        while !cursor.isDone { entries += cursor.takeSlice(of: state, chunkLimit: 100, byteLimit: .max) }
        return entries
    }

    /// Restores what a front has written, all of which can be true.
    mutating func restore(_ entries: [JournalEntry], of turn: TurnNumber, isSlice: Bool) {
        do throws(CodecError) { try restore(entries, turn: turn, isSlice: isSlice) } catch { Issue.record(error) }
    }

    /// One job as observers see it; nil if it is not known.
    func job(_ id: UInt64) -> JobSummary? { queue.job(id, in: turn) }

    /// Every object that collection spares now.
    var namedObjects: Set<ObjectDigest> { state.namedObjects(at: turn.now.wall) }
}

extension FrontEvent {
    /// The end of a turn that has read everything up to an instant; nil: some is unread.
    static func inputRead(upTo instant: MonotonicTime?) -> FrontEvent {
        let began = instant ?? MonotonicTime(nanoseconds: 0)
        return .inputRead(TurnReading(began: began, isWorkersDone: instant != nil, isClientsDone: instant != nil))
    }
}

extension FrontMachine {
    /// What is neglected, in words, as `FrontLoop` tells it.
    var neglected: (work: String?, wait: String?, reason: String?) {
        (turn.forgottenWork(feeds, queue), feeds.staleWait(queue: queue, in: turn), queue.waitFault(in: turn))
    }
}
