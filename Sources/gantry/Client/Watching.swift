//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Foundation
import GantryClient
import GantryModel
import GantryPlatform
import Loading
import StateFormatting
import Synchronization

/// Prints the changes of topics until a goal, a count, a time or Ctrl-C.
struct Watching: Sendable {
    let options: FrontOptions
    let goal: WatchGoal?
    let count: Int?
    var resyncs = true

    /// Sums that differ in a row after which the difference counts as lasting.
    private static let differenceLimit = 5

    /// Why one of the tasks that watch has ended.
    private enum End {
        /// All is done: the command ends.
        case reached
        /// Its job has ended, and nothing but jobs is watched.
        case ended(JobSummary)
        /// The others go on.
        case left
    }

    /// Watches; returns when the goal or the count is reached, when nobody reads what it prints, when all jobs have succeeded where nothing else is
    /// watched, or after the time of `--timeout` where nothing ends it.
    /// - Throws: `CommandFailure` with 5 when the time is over before that, or as the first job that has not succeeded.
    func run(_ client: GantryClient, _ topics: [Topic]) async throws {
        let printed = PrintedLines()
        var jobs = WatchedJobs(topics)
        let hasEnd = goal != nil || count != nil || jobs != nil
        let endsWithJobs = jobs != nil
        try await withThrowingTaskGroup(of: End.self) { group in
            for topic in topics { group.addTask { try await follow(client, topic, printed, endsWithJobs: endsWithJobs) } }
            group.addTask { await OutputReader.hasGone() ? .reached : .left }
            if let timeout = options.timeout {
                group.addTask {
                    try await Task.sleep(for: timeout.duration)
                    guard hasEnd else { return .reached }
                    throw CommandFailure(
                        .timedOut, code: .timedOut, message: "timed out after \(timeout.text) before the condition was met",
                        nextStep: "gantry status, or wait longer with --timeout", isRetryable: true)
                }
            }
            defer { group.cancelAll() }
            while let end = try await group.next() {
                switch end {
                case .reached: return
                case .ended(let job):
                    guard jobs?.note(job) == true else { continue }
                    // A state that was waited for has come before, if at all; a number may still be missing.
                    if let failure = jobs?.failure ?? goal.map({ _ in WatchGoal.failure(of: job) }) { throw failure }
                    return
                case .left: continue
                }
            }
            try Task.checkCancellation()
        }
    }

    private func follow(_ client: GantryClient, _ topic: Topic, _ printed: PrintedLines, endsWithJobs: Bool) async throws -> End {
        for await state in client.observe(topic, limit: 4_096) {
            if let failure = state.failure { throw failure }
            // Named twice, in two ways, it would be printed twice.
            if state.isLoaded, printed.isTaken(state.resolved, by: topic) { return .left }
            // A snapshot is shown when it is verified; until then the next line will tell.
            if state.event == .snapshot, !state.isVerified { continue }
            if !isUnmeasured(state), try show(state, printed) { return .reached }
            if state.event == .checksumDiffers, !resyncs || state.differences >= Self.differenceLimit {
                throw CommandFailure(
                    .conflict, code: .checksumDiffers, message: "the replica of \(state.resolved) keeps differing from the front",
                    nextStep: "report this with the output of:", thenDoctor: true)
            }
            if state.isVerified, let goal {
                if goal.isReached(by: state) { return .reached }
                if let failure = goal.missed(by: state) { throw failure }
            }
            guard endsWithJobs, state.isVerified else { continue }
            if let job = state.job, job.state.isFinal { return .ended(job) }
            // An ended job is shown once the front has read it. One that was forgotten, or cannot be read, never is: this says so.
            if state.job == nil, case .job(let job) = topic { _ = try await client.explain(job) }
        }
        return .left
    }

    /// Whether a front has not looked yet at what it has stored, which it does for whoever asks: of so many lines as are wanted, none is for that.
    private func isUnmeasured(_ state: TopicState) -> Bool {
        guard count != nil, let storage = state.storage else { return false }
        return storage.journalByteCount == nil && storage.cacheByteCount == nil && storage.ballastByteCount == nil
    }

    /// A line for a pipe, or lines that a terminal need not break: what is new first, and below it the reason of a failure, whole.
    /// - Returns: nil where a terminal would show nothing new.
    private func line(_ state: TopicState, _ now: WallTime, _ printed: PrintedLines) -> String? {
        guard let columns = options.printing.columns else { return state.line(at: now) }
        let line = state.terminalLine(at: now)
        guard let text = line.text(columns: columns, after: printed.replaceLast(of: state.resolved, by: line)) else { return nil }
        let folded = TextFit.fold(LineFitting.clean(text), columns: columns, indent: TerminalLine.indent)
        return state.feed?.failure.map { "\(folded)\n  \(LineFitting.clean($0.text))" } ?? folded
    }

    private func show(_ state: TopicState, _ printed: PrintedLines) throws -> Bool {
        let now = WallTime(milliseconds: SystemClock.wallMilliseconds())
        return try printed.count.withLock { lines in
            guard count.map({ lines < $0 }) ?? true else { return true }
            guard let line = line(state, now, printed) else { return false }
            try options.show(state.json(at: now).text, line)
            lines += 1
            return lines == count
        }
    }
}

/// Jobs that are watched, and nothing else: nothing comes after the last of their ends.
struct WatchedJobs {
    private let jobs: [JobID]
    private var ended: [JobID: JobSummary] = [:]

    /// nil: there are others than jobs, or none at all.
    init?(_ topics: [Topic]) {
        jobs = topics.compactMap { if case .job(let job) = $0 { job } else { nil } }
        guard !jobs.isEmpty, jobs.count == topics.count else { return nil }
    }

    /// Notes the end of a job.
    /// - Returns: whether it was the last one.
    mutating func note(_ job: JobSummary) -> Bool {
        ended[job.id] = job
        return jobs.allSatisfy { ended[$0] != nil }
    }

    /// What they end the command with, as in `gantry job wait`: the first as they were named that did not succeed; nil: all have.
    var failure: CommandFailure? { jobs.lazy.compactMap { ended[$0] }.compactMap { CommandFailure($0) }.first }
}

/// When `gantry watch` ends by itself.
enum WatchGoal: ExpressibleByArgument, Hashable, Sendable {
    /// Nothing is being done.
    case idle
    /// There is content and nothing is being done; a job has succeeded.
    case loaded
    /// Something failed.
    case failed
    /// At least so many changes.
    case sequence(UInt64)

    init?(argument: String) {
        switch argument {
        case "idle": self = .idle
        case "loaded": self = .loaded
        case "failed": self = .failed
        default:
            guard let number = UInt64(argument) else { return nil }
            self = .sequence(number)
        }
    }

    /// As it is typed.
    private var word: String {
        switch self {
        case .idle: "idle"
        case .loaded: "loaded"
        case .failed: "failed"
        case .sequence(let number): "at \(number)"
        }
    }

    /// Whether a topic can ever be so.
    func canCome(to topic: Topic) -> Bool {
        switch (self, topic) {
        case (.sequence, _), (_, .feed), (_, .view), (_, .job): true
        case (.idle, .ofFront(.jobs)), (.idle, .ofFront(.workers)): true
        case (.idle, .ofFront), (.loaded, _), (.failed, _): false
        }
    }

    /// What to say where none of the topics can be so.
    func failure(of topics: [Topic]) -> CommandFailure {
        let names = topics.map(\.description).joined(separator: ", ")
        let isIdleSometime = topics.contains(where: WatchGoal.idle.canCome)
        let subject = topics.count == 1 ? "the topic \(names) is" : "the topics \(names) are"
        return CommandFailure(
            .usage, code: .usage, message: "\(subject) never \(word)",
            nextStep: isIdleSometime
                ? "use --until idle, or watch a feed, a view or a job" : "give --until a sequence number, or watch a feed, a view or a job")
    }

    /// Whether a verified state is what is waited for.
    func isReached(by state: TopicState) -> Bool {
        switch self {
        case .idle: Self.isIdle(state)
        case .loaded: Self.isLoaded(state)
        case .failed:
            state.feed?.failure != nil || state.view?.failure != nil || state.job?.state == .failed || state.job?.state == .quarantined
        case .sequence(let number): state.sequence.rawValue >= number
        }
    }

    /// What to end with where a job has ended otherwise than was waited for: it changes no more. nil: it may still come.
    func missed(by state: TopicState) -> CommandFailure? {
        guard let job = state.job, job.state.isFinal else { return nil }
        switch self {
        case .sequence: return nil
        case .idle, .loaded, .failed: return CommandFailure(job) ?? Self.failure(of: job)
        }
    }

    /// What to say of a job that has ended otherwise than was waited for.
    static func failure(of job: JobSummary) -> CommandFailure {
        CommandFailure(
            .conflict, code: .conflict, message: "job \(job.id) has ended as \(job.state.name), and that was not waited for",
            nextStep: "gantry job show \(job.id)")
    }

    private static func isIdle(_ state: TopicState) -> Bool {
        if let feed = state.feed { return feed.activity == .idle }
        if let view = state.view {
            if case .loading = view.detail { return false }
            return view.sorting == nil
        }
        if let job = state.job { return job.state.isFinal }
        if let counts = state.counts { return counts.waiting + counts.running + counts.cancelling == 0 }
        return !state.workers.contains { $0.slotsTaken > 0 }
    }

    private static func isLoaded(_ state: TopicState) -> Bool {
        if let feed = state.feed { return feed.content != nil && feed.activity == .idle && feed.failure == nil }
        if let view = state.view { return view.revision != nil && isIdle(state) }
        return state.job?.state == .succeeded
    }
}

/// How many lines several readers have printed together; whoever prints holds the lock, so lines never mix.
private final class PrintedLines: Sendable {
    let count = Mutex(0)
    /// Who reads which topic: by the one that is published, the one that was named.
    private let named = Mutex<[Topic: Topic]>([:])

    /// What a terminal shows of each topic last.
    private let last = Mutex<[Topic: TerminalLine]>([:])

    /// Notes a line; returns the one before of the same topic.
    func replaceLast(of topic: Topic, by line: TerminalLine) -> TerminalLine? {
        last.withLock { $0.updateValue(line, forKey: topic) }
    }

    /// Whether a topic is printed under another name already.
    func isTaken(_ topic: Topic, by name: Topic) -> Bool {
        named.withLock { named in
            guard let first = named[topic] else {
                named[topic] = name
                return false
            }
            return first != name
        }
    }
}

/// Whoever reads what this program prints, as the next command of a shell's pipe.
private enum OutputReader {
    /// Waits until nobody reads standard output any more, which else only the next line that is written would tell. Of what is no pipe it is
    /// not known: then, and when the task is cancelled, it never is so.
    /// - Returns: whether the reader has gone.
    static func hasGone() async -> Bool {
        // The writing end of a pipe has nothing to read, so what wakes is its other end's going. A socket or terminal wakes for input.
        let name = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/1")
        guard name?.hasPrefix("pipe:") == true else { return await never() }
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        do {
            // It lasts as long as the process, which ends soon after whoever waits here.
            _ = try startThread(name: "output reader") {
                while let hasGone = try? NumberedDescriptor.waitReadable(1, upTo: NumberedDescriptor.longestWait) {
                    if hasGone { return _ = end.yield() }
                }
            }
        } catch {
            return await never()
        }
        return await ends.first { _ in true } != nil
    }

    private static func never() async -> Bool {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        defer { end.finish() }
        return await ends.first { _ in true } != nil
    }
}

extension GantryClient {
    /// The topic that people mean: its text, or a feed's name. Which feed that is, its snapshot says.
    func topic(named name: String) async throws -> Topic {
        switch Topic(name) {
        case .job(let job):
            // One that nobody knows would never change.
            return .job(try await explain(job).job.id)
        case .some(let topic): return topic
        case nil:
            // `job/abc` is meant as a job, not as a feed of a namespace.
            guard let key = FeedKey(text: name), !["feed", "view", "job"].contains(key.namespace) else {
                throw CommandFailure(
                    .usage, code: .usage, message: "\"\(name)\" names no topic",
                    nextStep: "give a feed, feed/KEY, view/KEY/NAME, job/ID, or one of \(FrontTopic.shown)")
            }
            return .feed(key)
        }
    }
}
