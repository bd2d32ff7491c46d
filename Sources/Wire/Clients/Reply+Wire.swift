//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FoundationEssentials
import Model
import WireMessages

extension WireReply: Mapped {
    init(_ value: (RequestNumber, Reply)) {
        self.init()
        number = value.0.rawValue
        switch value.1 {
        case .accepted(let job, let joined): (accepted.job, accepted.joined) = (job.rawValue, joined)
        case .jobsAccepted(let first, let count): (jobsAccepted.first, jobsAccepted.count) = (first.rawValue, count)
        case .done(let version):
            done = WireDone()
            done.version = version
        case .cancelling(let job): cancelling.job = job.rawValue
        case .alreadyEnded(let job, let state): (alreadyEnded.job, alreadyEnded.state) = (job.rawValue, WireJobState(state))
        case .refused(let failure, let retryAfter):
            refused = WireRefusal(failure, retryAfter: retryAfter)
        case .jobs(let list, let next):
            jobs.jobs = list.map(WireJobSummary.init)
            if let next { jobs.next = next.rawValue }
        case .explanation(let explanation): self.explanation = WireJobExplanation(explanation)
        case .feeds(let list, let next):
            feeds.feeds = list.map(WireFeedState.init)
            if let next { feeds.next = next.text }
        }
    }

    func value(within bounds: Bounds) throws(CodecError) -> (RequestNumber, Reply) {
        (RequestNumber(number), try reply(within: bounds))
    }

    /// The reply. One that this version cannot read answers its request all the same: otherwise the client would ask for ever.
    func readableValue(within bounds: Bounds) -> (RequestNumber, Reply) {
        do {
            return try value(within: bounds)
        } catch {
            let text = "the front has replied what this version cannot read (\(error)): look at the state before you ask again"
            return (RequestNumber(number), .refused(Failure(code: .outcomeUnknown, text: text), retryAfter: .zero))
        }
    }

    private func reply(within bounds: Bounds) throws(CodecError) -> Reply {
        switch kind {
        case .accepted(let accepted): .accepted(JobID(accepted.job), joined: accepted.joined)
        case .jobsAccepted(let accepted): .jobsAccepted(first: JobID(accepted.first), count: accepted.count)
        case .done(let done): .done(version: done.version)
        case .cancelling(let target): .cancelling(JobID(target.job))
        case .alreadyEnded(let ended): .alreadyEnded(JobID(ended.job), try bounds.known(ended.state, "a job's state"))
        case .refused(let refusal):
            .refused(try refusal.failure.value(within: bounds), retryAfter: refusal.retryAfter)
        case .jobs(let page): .jobs(try bounds.readableValues(page.jobs, "a page of jobs"), next: page.hasNext ? JobID(page.next) : nil)
        case .explanation(let explanation): .explanation(try explanation.value(within: bounds))
        case .feeds(let page): .feeds(try bounds.readableValues(page.feeds, "feeds"), next: page.hasNext ? try bounds.feed(page.next) : nil)
        case nil: throw bounds.unknownKind("a reply")
        }
    }
}

extension WireRefusal {
    init(_ failure: Failure, retryAfter: Duration) {
        self.init()
        (self.failure, retryAfterMilliseconds) = (WireFailure(failure), retryAfter.wireMilliseconds)
    }

    /// When it is worth asking again; zero where waiting does not help.
    var retryAfter: Duration { .milliseconds(retryAfterMilliseconds) }
}

extension WireJobExplanation: Mapped {
    init(_ value: JobExplanation) {
        self.init()
        job = WireJobSummary(value.job)
        if let place = value.placeInLine { placeInLine = place }
        if let estimate = value.estimate { estimateSeconds = estimate.inSeconds }
        timeline = value.timeline.map { $0.cut(to: Bounds.messages.textByteCount) }
        argument = Data(value.argument)
        argumentByteCount = value.argumentByteCount
    }

    func value(within bounds: Bounds) throws(CodecError) -> JobExplanation {
        try bounds.demand(hasJob, "an explanation's job")
        var explanation = JobExplanation(
            job: try job.value(within: bounds), placeInLine: hasPlaceInLine ? placeInLine : nil,
            estimate: hasEstimateSeconds ? Duration(clampingSeconds: estimateSeconds) : nil,
            timeline: try bounds.texts(timeline, "a job's timeline")
        )
        explanation.argument = try bounds.payload(argument, "a job's argument")
        guard argument.isEmpty || argumentByteCount == UInt64(argument.count) else {
            let reason = "it is said to have \(argumentByteCount) bytes, but there are \(argument.count)"
            throw CodecError(what: "a job's argument", reason: reason)
        }
        explanation.argumentByteCount = argumentByteCount
        return explanation
    }
}
