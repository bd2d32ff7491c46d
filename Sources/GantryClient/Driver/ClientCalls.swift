//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import GantryModel
import HeapModule

/// Everything that calls and the driver's thread share: which call waits for what, until when, and what the thread is to do next.
///
/// It is only touched under the driver's lock. Continuations are resumed after it.
struct ClientCalls {
    typealias Resumption = (CheckedContinuation<Result<Answer, ClientError>, Never>, Result<Answer, ClientError>)

    /// The front's address, for the error of a call that finds none there.
    private let place: String
    private var nextCallID: UInt64 = 1
    private var waiters: [CallID: Waiter] = [:]
    /// The call that waits for the end of each job, or the first of several; it may have left since.
    private var jobs: [JobID: CallID] = [:]
    /// The others, where submits have joined a job by its unique key.
    private var joined: [JobID: Set<CallID>] = [:]
    /// The limits of calls, and the graces of those that were cancelled and may still be answered.
    private(set) var deadlines = CallDeadlines()
    private(set) var commands: [ClientCommand] = []
    private(set) var isClosed = false
    private(set) var isOpen = false
    /// Why the front refused last, for calls that wait for the session.
    private var lastRefusal: ClientError?
    /// Calls that wait for the session.
    private var openCallIDs: Set<CallID> = []
    private var hasEnded = false
    private var closers: [CheckedContinuation<Void, Never>] = []

    init(place: String) { self.place = place }

    mutating func makeCallID() -> CallID {
        defer { nextCallID += 1 }
        return CallID(nextCallID)
    }

    /// Commands that one turn of the thread takes.
    mutating func takeCommands() -> [ClientCommand] {
        defer { commands = [] }
        return commands
    }

    mutating func append(_ command: ClientCommand) { commands.append(command) }

    /// A call begins to wait; it is resumed at once when it was cancelled before or the client is closed.
    /// - Parameter grace: how long its answer is still waited for when it is cancelled later.
    mutating func wait(
        _ callID: CallID, _ continuation: CheckedContinuation<Result<Answer, ClientError>, Never>, command: ClientCommand?,
        awaitsOutcome: Bool, now: MonotonicTime, limit: Duration?, grace: Duration = .zero
    ) -> Resumption? {
        if case .cancelled = waiters.removeValue(forKey: callID) { return (continuation, .failure(Self.cancelled)) }
        guard !isClosed else { return (continuation, .failure(SessionMachine.isClosed)) }
        if command == nil {
            if isOpen { return (continuation, .success(.opened)) }
            openCallIDs.insert(callID)
        }
        waiters[callID] = .waiting(Waiter.Waiting(continuation: continuation, awaitsOutcome: awaitsOutcome, grace: grace))
        if let command { commands.append(command) }
        if let limit { deadlines.add(callID, limit, now, underWay: waiters.count) { waiters[$0] != nil } }
        return nil
    }

    /// A call's task was cancelled, before or while it waits.
    mutating func cancel(_ callID: CallID, at now: MonotonicTime) -> Resumption? {
        guard case .waiting(var waiting) = waiters.removeValue(forKey: callID) else {
            waiters[callID] = .cancelled
            return nil
        }
        if waiting.grace > .zero {
            commands.append(.withdraw(callID))
            waiting.isLeaving = true
            waiters[callID] = .waiting(waiting)
            deadlines.add(callID, waiting.grace, now, underWay: waiters.count) { waiters[$0] != nil }
            return nil
        }
        forget(callID, waiting)
        return (waiting.continuation, .failure(Self.cancelled))
    }

    /// A call has returned: a cancellation that came too late leaves nothing behind.
    mutating func finished(_ callID: CallID) {
        if case .cancelled = waiters[callID] { waiters[callID] = nil }
    }

    /// - Complexity: O(1), because thousands of calls may be cancelled at once, each under the lock of the client's thread.
    private mutating func forget(_ callID: CallID, _ waiting: Waiter.Waiting) {
        commands.append(.abandon(callID))
        if let job = waiting.job { leave(job, callID) }
        openCallIDs.remove(callID)
    }

    /// A call waits for the end of a job no more. Others may.
    private mutating func leave(_ job: JobID, _ callID: CallID) {
        joined[job]?.remove(callID)
        if let first = jobs[job], first != callID, waiters[first] != nil { return }
        guard joined[job]?.isEmpty ?? true else { return }
        (jobs[job], joined[job]) = (nil, nil)
        commands.append(.forgetOutcome(job))
    }

    /// A call left while its acceptance was on its way from the loop, which awaits the outcomes since. Nobody would ever take them.
    private mutating func leave(_ first: JobID, count: UInt32, _ callID: CallID) {
        for offset in 0..<UInt64(count) { leave(first.advanced(by: offset), callID) }
    }

    /// The calls that wait for the end of a job, which has come.
    private mutating func takeCalls(of job: JobID) -> [CallID] {
        guard let first = jobs.removeValue(forKey: job) else { return [] }
        return joined.isEmpty ? [first] : [first] + (joined.removeValue(forKey: job)?.sorted() ?? [])
    }

    /// The earliest time-out of a call that still waits.
    mutating func nextDeadline() -> MonotonicTime { deadlines.next { waiters[$0] != nil } }

    /// Ends the calls whose time is over.
    mutating func expire(at now: MonotonicTime, into resumptions: inout [Resumption]) {
        while let first = deadlines.takeDue(at: now) {
            guard case .waiting(let waiting) = waiters.removeValue(forKey: first.callID) else { continue }
            let isOpening = openCallIDs.contains(first.callID)
            forget(first.callID, waiting)
            let error = waiting.isLeaving ? Self.unanswered(waiting.grace) : isOpening ? notConnected(first.limit) : timedOut(first.limit)
            resumptions.append((waiting.continuation, .failure(error)))
        }
    }

    /// Takes the loop's notices.
    mutating func take(_ notice: ClientNotice, at now: MonotonicTime, into resumptions: inout [Resumption]) {
        switch notice {
        case .opened:
            (isOpen, lastRefusal) = (true, nil)
            for callID in openCallIDs.sorted() { resume(callID, .success(.opened), into: &resumptions) }
            openCallIDs = []
        case .refused(let error):
            lastRefusal = error
            guard !error.isRetryable else { return }
            for callID in openCallIDs.sorted() { resume(callID, .failure(error), into: &resumptions) }
            openCallIDs = []
        case .availability(let availability): if availability == .lost { isOpen = false }
        case .sessionLost, .topic, .topicFailed: return
        case .replied(let callID, let reply, let feed): resume(callID, .success(.reply(reply, feed)), into: &resumptions)
        case .accepted(let callID, let first, let count, let acceptance):
            guard case .waiting(var waiting) = waiters[callID] else { return leave(first, count: count, callID) }
            guard waiting.awaitsOutcome else {
                return resume(callID, .success(.accepted(first: first, count: count, acceptance)), into: &resumptions)
            }
            // Another call that waited for the same job may have left just now.
            if acceptance != .new { commands.removeAll { $0 == .forgetOutcome(first) } }
            if jobs[first] == nil { jobs[first] = callID } else { joined[first, default: []].insert(callID) }
            waiting.job = first
            waiters[callID] = .waiting(waiting)
        case .failed(let callID, let error): resume(callID, .failure(error), into: &resumptions)
        case .ended(let ended):
            for (index, result) in ended.results.enumerated() {
                let job = JobID(ended.jobs[index])
                for callID in takeCalls(of: job) {
                    resume(callID, .success(.ended(job, ended.states[index], Array(result))), into: &resumptions)
                }
            }
        case .outcomeLost(let job, let error):
            for callID in takeCalls(of: job) { resume(callID, .failure(error), into: &resumptions) }
        case .page(let callID, let reply): resume(callID, .success(.page(reply)), into: &resumptions)
        }
    }

    private mutating func resume(_ callID: CallID, _ result: Result<Answer, ClientError>, into resumptions: inout [Resumption]) {
        guard case .waiting(let waiting) = waiters.removeValue(forKey: callID) else { return }
        resumptions.append((waiting.continuation, result))
    }

    /// Nothing is taken any more; all waiting calls fail.
    mutating func close(into resumptions: inout [Resumption]) {
        isClosed = true
        for callID in waiters.keys.sorted() { resume(callID, .failure(SessionMachine.isClosed), into: &resumptions) }
        (openCallIDs, jobs, joined) = ([], [:], [:])
        deadlines.removeAll()
    }

    /// Somebody waits for the end of the thread; true when it has ended already.
    mutating func waitForEnd(_ continuation: CheckedContinuation<Void, Never>) -> Bool {
        if !hasEnded { closers.append(continuation) }
        return hasEnded
    }

    /// The thread has ended: returns the calls that waited for that.
    mutating func end() -> [CheckedContinuation<Void, Never>] {
        hasEnded = true
        defer { closers = [] }
        return closers
    }

    static let cancelled = ClientError(
        .cancelled, "the calling task was cancelled", nextStep: "what was sent already may still be carried out; look at the state")

    /// The end of a call that was cancelled with its message on the way, and was not answered in the grace either.
    private static func unanswered(_ grace: Duration) -> ClientError {
        ClientError(
            .outcomeUnknown, "the calling task was cancelled, and no answer came within \(grace) to what was on its way",
            nextStep: "it may still be carried out; look at the state")
    }

    private func timedOut(_ limit: Duration) -> ClientError {
        let connection = isOpen ? "" : "; the front does not answer"
        return ClientError(
            .timedOut, "no answer within \(limit)\(connection)",
            nextStep: "it may still be done: see with `gantry status` whether the front answers, with `gantry job list` what it took",
            isRetryable: true)
    }

    private func notConnected(_ limit: Duration) -> ClientError {
        if let lastRefusal { return lastRefusal }
        return ClientError(
            .notConnected, "no front answered at \(place) within \(limit)",
            nextStep: "start one with `gantry up`, or name another by its folder (--data, GANTRY_DATA) or address (--connect, GANTRY_URL)",
            isRetryable: true)
    }
}

/// One call that waits.
enum Waiter {
    /// Cancelled before it began to wait.
    case cancelled
    /// Waits for its answer.
    case waiting(Waiting)

    /// What is known of a call while it waits.
    struct Waiting {
        /// Resumed once, with what the call gets.
        let continuation: CheckedContinuation<Result<Answer, ClientError>, Never>
        /// For jobs that were submitted: whether their end is waited for and not only their acceptance.
        let awaitsOutcome: Bool
        /// How long the answer is still waited for once the calling task was cancelled; zero: not at all.
        let grace: Duration
        /// The job whose end is waited for, once it was accepted.
        var job: JobID?
        /// Whether the calling task was cancelled and only the grace is left.
        var isLeaving = false
    }
}

/// What a call gets.
enum Answer: Sendable {
    /// The front's reply to a request, and the feed that it was about.
    case reply(Reply, FeedKey?)
    /// Jobs were accepted, one with a unique key perhaps earlier.
    case accepted(first: JobID, count: UInt32, JobAcceptance = .new)
    /// A page.
    case page(PageReply)
    /// A job ended.
    case ended(JobID, JobState, [UInt8])
    /// The session is open.
    case opened
}

/// When calls time out, earliest first.
///
/// A call that is answered leaves its entries here, since to look for them would cost each call as much as all calls take. They are removed
/// when they come first, and all together when they outnumber the calls under way: one call that waits for an hour does not keep what
/// thousands of short ones leave behind it.
struct CallDeadlines {
    private struct Entry: Comparable {
        let at: MonotonicTime
        let callID: CallID
        let limit: Duration

        static func < (left: Self, right: Self) -> Bool { (left.at, left.callID) < (right.at, right.callID) }
    }

    /// Entries of one call, at most: its limit, and the grace after its cancellation.
    private static let entriesOfCall = 2
    /// Entries that are not worth looking through.
    private static let spareCount = 64

    private var entries = Heap<Entry>()

    /// Entries, of calls that were answered too.
    var count: Int { entries.count }

    /// Adds a call that times out `limit` from now.
    /// - Parameters:
    ///   - underWay: how many calls wait.
    ///   - isWaiting: whether that call is one of them.
    /// - Complexity: O(log n), where n is not much more than the calls under way: at least half of what is looked through was answered.
    mutating func add(_ callID: CallID, _ limit: Duration, _ now: MonotonicTime, underWay: Int, isWaiting: (CallID) -> Bool) {
        if entries.count > 2 * Self.entriesOfCall * underWay + Self.spareCount {
            entries = Heap(entries.unordered.filter { isWaiting($0.callID) })
        }
        entries.insert(Entry(at: now.advanced(by: limit), callID: callID, limit: limit))
    }

    /// The earliest time of a call that still waits; those before it are forgotten.
    mutating func next(isWaiting: (CallID) -> Bool) -> MonotonicTime {
        while let first = entries.min, !isWaiting(first.callID) { entries.removeMin() }
        return entries.min?.at ?? .distantFuture
    }

    /// Takes out the first call whose time is over.
    mutating func takeDue(at now: MonotonicTime) -> (callID: CallID, limit: Duration)? {
        guard let first = entries.min, first.at <= now else { return nil }
        entries.removeMin()
        return (first.callID, first.limit)
    }

    mutating func removeAll() { entries = Heap() }
}
