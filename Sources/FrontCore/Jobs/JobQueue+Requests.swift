//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension JobQueue {
    /// The answer to a request about jobs; nil: it is about something else.
    /// - Parameter mayWait: Whether it may be put aside until a bundle is read. The second time it may not: what is missing then is for the client
    ///   to ask for.
    mutating func answer(
        to body: RequestBody, _ asked: NumberedRequest, mayWait: Bool = true, in turn: inout FrontTurn
    ) -> JobAnswer? {
        let session = asked.session
        let answer: JobAnswer
        switch body {
        case .cancel(let job): answer = .reply(cancel(job, by: .client(turn.state.sessions.label(session)), in: &turn))
        case .reprioritize(let job, let priority): answer = .reply(reprioritize(job, to: priority, in: &turn))
        case .listJobs(let query): answer = list(query, for: session, mayWait: mayWait, in: &turn)
        case .explain(let job): answer = explain(job, for: session, in: &turn)
        case .outcomes(let jobs): answer = .reply(outcomes(jobs, session, in: &turn))
        case .listFeeds, .load, .refresh, .retry, .reset, .cancelLoad, .create, .update, .sort, .filter, .select, .attach, .detach,
            .unknown, .unreadable:
            return nil
        }
        guard case .after(let bundle) = answer else { return answer }
        guard mayWait, mayRead(in: turn) else {
            let text = "ended jobs are being read for too many at the moment (limit): ask again"
            return .reply(turn.busy(.endedReadings, text, retryAfter: RetryPause.short))
        }
        readings.wait(.request(asked, body), for: bundle)
        return answer
    }
}

/// What becomes of a request about jobs.
enum JobAnswer {
    /// It is answered.
    case reply(Reply)
    /// It is answered when this bundle of ended jobs is read.
    case after(BundleNumber)

    /// The reply, if there is one now.
    var reply: Reply? {
        guard case .reply(let reply) = self else { return nil }
        return reply
    }
}

extension RequestBody {
    /// The refusal of a request that no machine takes.
    var refusalOfKind: Reply {
        if case .unreadable(let error) = self { return .refusal(error.code, error.description) }
        return .refusal(.invalidData, "this front speaks protocol version \(ProtocolVersion.current) and does not know that request")
    }
}
