//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryWire

@testable import FrontCore

/// A front whose bundles of ended jobs are kept as a journal would, and read when it is told.
struct BundledFront {
    var front = FrontHarness()
    var worker = WorkerHarness(1)
    /// Encoded entries.
    var bundles: [BundleNumber: [UInt8]] = [:]
    /// Those that the front wants to read.
    private(set) var asked: [BundleNumber] = []
    /// Jobs of which the front knew no outcome when it was asked last.
    private(set) var unknown: [UInt64] = []
    private let codec = WireCodec()

    init(prefetch: UInt32 = 64, _ change: @escaping (inout FrontSettings) -> Void = { _ in }) {
        front = FrontHarness(change)
        front.open()
        worker.register(with: &front, prefetch: prefetch)
    }

    /// Ends so many jobs, each with a result of its own.
    mutating func succeed(_ count: Int, loader: String = "noop") -> [UInt64] {
        let first = front.run(count, loader: loader, on: &worker).rawValue
        for job in first..<first + UInt64(count) {
            keep(worker.end(job, result: Array("result \(job)".utf8), in: &front))
            worker.take(front.settle())
        }
        return Array(first..<first + UInt64(count))
    }

    /// Ends a job with a failure.
    mutating func fail(_ text: String = "the origin answered 503", loader: String = "slow") -> UInt64 {
        let job = front.run(1, loader: loader, on: &worker).rawValue
        keep(worker.end(job, .failed, failure: Failure(code: .httpStatus, text: text), in: &front))
        return job
    }

    /// Ends a job that nobody runs, before it has begun.
    mutating func cancel() -> UInt64 {
        let job = front.submit(1, loader: "nobody")
        _ = front.ask(.job(.cancel(job)))
        keep(front.settle())
        return job.rawValue
    }

    /// Ends one by the time that it has.
    mutating func expire() -> UInt64 {
        let options = JobOptions(expiresAt: front.now.wall.advanced(by: .seconds(1)))
        let job = front.submit(1, loader: "nobody", JobOptionsColumn(options))
        front.pass(milliseconds: 1_000)
        keep(front.settle())
        return job.rawValue
    }

    /// What the loop does about bundles; the actions are handed on.
    @discardableResult
    mutating func keep(_ actions: [FrontAction]) -> [FrontAction] {
        for action in actions {
            switch action {
            case .makeBundle(let number, let entries): bundles[number] = codec.encode(entries)
            case .forgetBundle(let number): bundles[number] = nil
            case .readBundle(let number): asked.append(number)
            default: break
            }
        }
        return actions
    }

    /// Lets all jobs that have ended leave the state, as before a checkpoint; how many bundles that made.
    @discardableResult
    mutating func bundle() -> Int {
        let before = bundles.count
        var isNew = true
        repeat {
            keep(front.handle(.checkpointNears(isNew: isNew)))
            isNew = false
        } while !front.machine.isReadyForCheckpoint
        return bundles.count - before
    }

    /// Ends the turn, and reads what is asked for until nothing is.
    mutating func read() -> [FrontAction] {
        var actions = keep(front.settle())
        while !asked.isEmpty {
            let number = asked.removeFirst()
            actions += keep(front.handle(.bundleRead(number, bundles[number].flatMap { try? codec.decodeEntries($0) })))
            actions += keep(front.settle())
        }
        while front.machine.queue.readings.hasAnswerable { actions += keep(front.settle()) }
        return actions
    }

    /// Reads one bundle; what each turn does until all is answered that waited for it.
    mutating func take(_ number: BundleNumber) -> [[FrontAction]] {
        asked.removeAll { $0 == number }
        let entries = bundles[number].flatMap { try? codec.decodeEntries($0) }
        var turns = [keep(front.handle(.bundleRead(number, entries))) + keep(front.settle())]
        while front.machine.queue.readings.hasAnswerable { turns.append(keep(front.settle())) }
        return turns
    }

    /// The reply to a request, after what had to be read was.
    mutating func ask(_ body: RequestBody) -> Reply? {
        let number = RequestNumber(front.nextRequest)
        front.nextRequest += 1
        let actions = keep(front.send(.request(.init(number: number, lowestUnanswered: number, body: body)))) + read()
        let replies = actions.compactMap { action -> Reply? in
            if case .send(_, _, .reply(number, let reply, _)) = action { reply } else { nil }
        }
        return replies.count == 1 ? replies[0] : nil
    }

    /// All jobs that a query finds, page by page; nil: a page is missing.
    mutating func list(_ query: JobQuery) -> [JobSummary]? {
        var query = query
        var found: [JobSummary] = []
        while true {
            guard case .jobs(let page, let next, _) = ask(.job(.list(query))) else { return nil }
            found += page
            guard let next else { return found }
            query.before = next
        }
    }

    /// A job as `explain` shows it.
    mutating func job(_ id: UInt64) -> JobSummary? {
        guard case .explanation(let explanation) = ask(.job(.explain(JobID(id)))) else { return nil }
        return explanation.job
    }

    /// How jobs ended, as a session is told that asks.
    mutating func outcomes(_ jobs: [UInt64]) -> [UInt64: (state: JobState, result: [UInt8])] {
        let number = RequestNumber(front.nextRequest)
        front.nextRequest += 1
        let request = ClientMessage.Request(number: number, lowestUnanswered: number, body: .job(.outcomes(jobs.map { JobID($0) })))
        var reported: [UInt64: (state: JobState, result: [UInt8])] = [:]
        unknown = []
        for case .send(_, _, .answers(let answers)) in keep(front.send(.request(request))) + read() {
            unknown += answers.unknown
            for (index, result) in answers.results.enumerated() { reported[answers.jobs[index]] = (answers.states[index], Array(result)) }
        }
        return reported
    }

    /// The next life, which knows what was recorded and finds the same bundles.
    func restarted() -> BundledFront {
        var next = self
        next.front = front.restarted()
        next.keep(next.front.started)
        next.asked = []
        return next
    }
}
