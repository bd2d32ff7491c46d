//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import GantryModel
import GantryPackedColumns

/// Requests that wait for ended jobs to be read from a bundle, and what was read last.
///
/// No decision waits for a reading: the request is put aside, and handled again when the bundle is there. Questions whose bundle was read,
/// or cannot be, are answered in their order, some in each turn; until all are, no further bundle is asked for.
///
/// That the jobs of a bundle are known is no state of its reading: a question that waits behind another may want a bundle that was read meanwhile,
/// and those of it that can be answered by then need its jobs.
struct BundleReadings {
    /// A question that cannot be answered before a bundle is read.
    enum Question {
        /// A request, which is to be answered as if it had come then.
        case request(NumberedRequest, JobRequest)
        /// A session wants to know how these jobs ended, those of the last bundle first: the others wait for theirs behind it, as one question
        /// together, or a request for many would find room for its first ones only, and ask for one after the other.
        case outcomes([(bundle: BundleNumber, jobs: [UInt64])], SessionID)
        /// A client wants the snapshot of a job's topic.
        case snapshot(FrontAction)
        /// The topic of a job is observed: its item follows.
        case observed(UInt64)
        /// The action of that number goes on with jobs of it.
        case bulk(UInt64)

        /// What it takes, about. Requests that wait are lists and explanations, which are small.
        fileprivate var roughByteCount: Int {
            switch self {
            case .request: RoughSize.wide
            case .outcomes(let left, _): left.reduce(RoughSize.record) { $0 + RoughSize.message + $1.jobs.count * RoughSize.number }
            case .snapshot, .observed, .bulk: RoughSize.record
            }
        }
    }

    /// A question whose bundle was read.
    struct Answerable {
        let question: Question
        let bundle: BundleNumber
        /// False: it is not there, or cannot be read.
        let isRead: Bool
    }

    /// How far the reading of a bundle is that somebody asks for a job of. Of all others there is none.
    private enum Progress {
        /// As many are being read as may be, or were and wait to be answered with. Moves to asked in its turn.
        case wanted
        /// It is being read. Ends when it was, or cannot be: what waits for it can be answered then.
        case asked
    }

    /// The reading of a bundle, and what waits for it.
    private struct Reading {
        var progress = Progress.wanted
        var questions: [Question] = []
    }

    /// Bundles that are read at a time, and those whose jobs stay known: as many take some megabytes.
    private static let (atOnce, keptBundles) = (4, 8)
    /// What answers to questions may take of a turn: some milliseconds, so that nobody's renewal waits for them.
    private static let stepsOfTurn = 4_096
    /// What they may still take of this one.
    private var stepsLeft = Self.stepsOfTurn
    private var readings: [BundleNumber: Reading] = [:]
    /// Those that are wanted, in their order: all that are not asked.
    private var wanted = Deque<BundleNumber>()
    /// How many questions wait.
    private(set) var questionCount = 0
    /// Bytes of them, about.
    private(set) var questionByteCount = 0
    /// What those of them are that clients will repeat: the fingerprint of each request, by its number.
    private var requests: [SessionID: [RequestNumber: UInt64]] = [:]
    /// Questions that can be answered now, the oldest first.
    private var answerable = Deque<Answerable>()
    /// What was read last, the newest at the end: as many as stay known.
    private var known: [(number: BundleNumber, jobs: [UInt64: ReadJob])] = []
    /// Jobs of bundles whose topic is observed, as their observers see them: they stay known for as long as they are observed. What they
    /// take has no bound of its own: their topics keep the same as items, and those have one.
    private var observed: [UInt64: (number: BundleNumber, job: JobSummary)] = [:]

    /// A job of a bundle that is known at the moment.
    func job(_ id: UInt64, of bundle: BundleNumber) -> ReadJob? { known.last { $0.number == bundle }?.jobs[id] }

    /// An ended job whose topic is observed.
    func observedJob(_ id: UInt64) -> JobSummary? { observed[id]?.job }

    /// The fingerprint of the request of that session and number that waits; nil: none does.
    func fingerprint(ofWaiting asked: NumberedRequest) -> UInt64? { requests.isEmpty ? nil : requests[asked.session]?[asked.number] }

    /// How many requests of a session wait.
    func requestCount(of session: SessionID) -> Int { requests[session]?.count ?? 0 }

    /// The same of the session of which most do, for checks from outside.
    var mostRequestsOfSession: Int { requests.values.lazy.map(\.count).max() ?? 0 }

    /// A question waits for a bundle from now on.
    mutating func wait(_ question: Question, for bundle: BundleNumber) {
        if readings[bundle] == nil { wanted.append(bundle) }
        readings[bundle, default: Reading()].questions.append(question)
        questionCount += 1
        questionByteCount += question.roughByteCount
        if case .request(let asked, _) = question { requests[asked.session, default: [:]][asked.number] = asked.fingerprint }
    }

    /// The next bundle that is to be read; nil: none, or enough are being read or wait to be answered with.
    mutating func takeWanted() -> BundleNumber? {
        let asked = readings.count - wanted.count
        // Not while answers wait: what was read for those would go to make room for the next.
        guard answerable.isEmpty, asked < Self.atOnce, let next = wanted.popFirst() else { return nil }
        readings[next]?.progress = .asked
        return next
    }

    /// A bundle was read; nil: it could not be. What waited for it can be answered.
    /// - Returns: whether somebody waits for it.
    @discardableResult
    mutating func take(_ bundle: BundleNumber, _ jobs: [UInt64: ReadJob]?) -> Bool {
        if let jobs {
            known.removeAll { $0.number == bundle }
            if known.count == Self.keptBundles { known.removeFirst() }
            known.append((bundle, jobs))
        }
        guard let reading = readings.removeValue(forKey: bundle) else { return false }
        switch reading.progress {
        // One that was read before its turn came must not be read once more.
        case .wanted: wanted.removeAll { $0 == bundle }
        case .asked: break
        }
        for question in reading.questions {
            answerable.append(Answerable(question: question, bundle: bundle, isRead: jobs != nil))
        }
        return true
    }

    /// Whether questions can be answered that no turn has come to yet.
    var hasAnswerable: Bool { !answerable.isEmpty }

    /// The next question that can be answered; nil: none, or answers have taken their part of the turn.
    mutating func takeAnswerable() -> Answerable? {
        guard stepsLeft > 0, let next = answerable.popFirst() else { return nil }
        questionCount -= 1
        questionByteCount -= next.question.roughByteCount
        if case .request(let asked, _) = next.question {
            requests[asked.session]?[asked.number] = nil
            if requests[asked.session]?.isEmpty == true { requests[asked.session] = nil }
        }
        return next
    }

    /// An answer has taken so many steps.
    mutating func charge(_ steps: Int) { stepsLeft -= steps }

    /// A turn ends.
    mutating func endTurn() { stepsLeft = Self.stepsOfTurn }

    /// The topic of a job is observed, and its bundle was read.
    mutating func observe(_ id: UInt64, _ job: JobSummary, of bundle: BundleNumber) { observed[id] = (bundle, job) }

    /// Nobody observes a job's topic any more.
    mutating func ignore(_ id: UInt64) { if !observed.isEmpty { observed[id] = nil } }

    /// A bundle is forgotten.
    /// - Returns: those of its jobs whose topics are observed.
    mutating func forget(_ bundle: BundleNumber) -> [UInt64] {
        known.removeAll { $0.number == bundle }
        // Sorted, since the order of a table must not reach an action.
        let gone = observed.filter { $0.value.number == bundle }.keys.sorted()
        for id in gone { observed[id] = nil }
        return gone
    }
}

/// An ended job that was read out of a bundle.
struct ReadJob {
    /// All that observers see of it.
    var summary: JobSummary
    /// What it worked on.
    let argument: [UInt8]
    /// Whether the front itself asked for it.
    let isFromFront: Bool
    /// Its runs.
    var runs = JobRuns()
    /// What they have written.
    var log = JobLog()
}

extension ReadJob {
    /// The jobs of a bundle, by number.
    /// - Parameter entries: What was written into it: whole jobs, and what feeds' jobs are before them.
    static func all(of entries: [JournalEntry]) -> [UInt64: ReadJob] {
        var feedJobs: [JobID: JournalEntry.FeedJob] = [:]
        var jobs: [UInt64: ReadJob] = [:]
        // Feeds' jobs stand before the whole ones that name them, as they were written.
        for entry in entries {
            if case .feedJobAccepted(let job) = entry { feedJobs[job.job] = job }
            guard case .jobsStored(let stored) = entry else { continue }
            for (index, (argument, result)) in zip(stored.arguments, stored.results).enumerated() {
                let record = JobRecord(endedIn: stored, at: index)
                let summary = JobSummary(
                    record, loader: stored.loaders[Int(record.loader)], terms: stored.terms[Int(record.terms)],
                    feedJob: feedJobs[JobID(record.id)], key: nil, failure: nil, cancel: nil, result: Array(result))
                jobs[record.id] = ReadJob(summary: summary, argument: Array(argument), isFromFront: record.session == 0)
            }
            for snooze in stored.snoozes { jobs[stored.jobs[Int(snooze.index)]]?.summary.snoozeCount = snooze.value.count }
            for known in stored.runs { jobs[stored.jobs[Int(known.index)]]?.runs = known.value }
            for written in stored.logs { jobs[stored.jobs[Int(written.index)]]?.log = written.value }
            for key in stored.uniqueKeys { jobs[stored.jobs[Int(key.index)]]?.summary.options.uniqueKey = key.value }
            for failure in stored.failures { jobs[stored.jobs[Int(failure.index)]]?.summary.failure = failure.value }
            for cancel in stored.cancels { jobs[stored.jobs[Int(cancel.index)]]?.summary.cancel = cancel.value }
        }
        return jobs
    }
}

extension JobRecord {
    /// A job as it was when it was written into a bundle, with the indexes of that.
    fileprivate init(endedIn stored: JournalEntry.StoredJobs, at index: Int) {
        self.init(id: stored.jobs[index], rank: .zero, acceptedAt: WallTime(milliseconds: 0), loader: 0)
        take(stored, at: index, loader: Int(stored.loaderIndexes[index]), terms: Int(stored.termIndexes[index]), turn: 0)
        end(as: stored.states[index], with: .empty, at: WallTime(milliseconds: stored.changedAt[index]))
    }
}
