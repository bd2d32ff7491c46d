//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import Model

/// What waits for ended jobs that have to be read out of a bundle, and what was read last.
///
/// Nobody who decides waits for a reading: the question is put aside, and put again when the bundle is there. A bundle is
/// - unread: nobody asks for a job of it.
/// - wanted: somebody does, and as many are being read as may be. Moves to asked in its turn.
/// - asked: it is being read. Moves to read, or to unread if that fails.
/// - read: its jobs are known until some more bundles were read.
struct BundleReadings {
    /// A question that cannot be answered before a bundle is read.
    enum Question {
        /// A request, which is to be answered as if it had come then.
        case request(NumberedRequest, RequestBody)
        /// A session wants to know how these jobs ended.
        case outcomes([UInt64], SessionID)
        /// A client wants the snapshot of a job's topic.
        case snapshot(FrontAction)
        /// The topic of a job is observed: its item follows.
        case observed(UInt64)
    }

    /// Bundles that are read at a time, and those whose jobs stay known: as many take some megabytes.
    private static let (atOnce, keptBundles) = (4, 8)
    private var questions: [BundleNumber: [Question]] = [:]
    /// How many questions wait.
    private(set) var questionCount = 0
    private var wanted = Deque<BundleNumber>()
    private var asked: Set<BundleNumber> = []
    private var read: [(number: BundleNumber, jobs: [UInt64: RecalledJob])] = []
    /// Jobs of bundles whose topic is observed, as they were read: they stay known for as long as somebody looks.
    private var observed: [UInt64: (number: BundleNumber, job: RecalledJob)] = [:]

    /// A job of a bundle that is known at the moment.
    func job(_ id: UInt64, of bundle: BundleNumber) -> RecalledJob? {
        observed[id]?.job ?? read.last { $0.number == bundle }?.jobs[id]
    }

    /// An ended job whose topic is observed.
    func observedJob(_ id: UInt64) -> RecalledJob? { observed[id]?.job }

    /// A question waits for a bundle from now on.
    mutating func wait(_ question: Question, for bundle: BundleNumber) {
        if questions[bundle] == nil { wanted.append(bundle) }
        questions[bundle, default: []].append(question)
        questionCount += 1
    }

    /// The next bundle that is to be read; nil: none, or enough are being read.
    mutating func takeWanted() -> BundleNumber? {
        guard asked.count < Self.atOnce, let next = wanted.popFirst() else { return nil }
        asked.insert(next)
        return next
    }

    /// A bundle was read; nil: it could not be.
    /// - Returns: what waited for it.
    mutating func take(_ bundle: BundleNumber, _ jobs: [UInt64: RecalledJob]?) -> [Question] {
        asked.remove(bundle)
        if let jobs {
            read.removeAll { $0.number == bundle }
            if read.count == Self.keptBundles { read.removeFirst() }
            read.append((bundle, jobs))
        }
        let waiting = questions.removeValue(forKey: bundle) ?? []
        questionCount -= waiting.count
        return waiting
    }

    /// The topic of a job is observed, and its bundle was read.
    mutating func observe(_ id: UInt64, _ job: RecalledJob, of bundle: BundleNumber) { observed[id] = (bundle, job) }

    /// Nobody observes a job's topic any more.
    mutating func ignore(_ id: UInt64) { if !observed.isEmpty { observed[id] = nil } }

    /// A bundle is forgotten.
    /// - Returns: those of its jobs whose topics are observed.
    mutating func forget(_ bundle: BundleNumber) -> [UInt64] {
        read.removeAll { $0.number == bundle }
        let gone = observed.filter { $0.value.number == bundle }.keys.sorted()
        for id in gone { observed[id] = nil }
        return gone
    }
}
