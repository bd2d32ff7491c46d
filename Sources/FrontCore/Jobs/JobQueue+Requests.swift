//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension JobQueue {
    /// The answer to a request about jobs.
    /// - Parameter mayWait: Whether it may be put aside until a bundle is read. The second time it may not: what is missing then is for the client
    ///   to ask for.
    mutating func answer(
        to body: JobRequest, _ asked: NumberedRequest, mayWait: Bool = true, in turn: inout FrontTurn
    ) -> JobAnswer {
        let session = asked.session
        let answer: JobAnswer =
            switch body {
            case .cancel(let job): .reply(cancel(job, by: .client(turn.state.sessions.label(session)), in: &turn))
            case .reprioritize(let job, let priority): .reply(reprioritize(job, to: priority, in: &turn))
            case .list(let query): list(query, for: session, mayWait: mayWait, in: &turn)
            case .explain(let job): explain(job, for: session, in: &turn)
            case .outcomes(let jobs): .reply(outcomes(jobs, session, in: &turn))
            }
        guard case .after(let bundle) = answer else { return answer }
        guard mayWait, mayRead(in: turn) else {
            let bounds = turn.settings.bounds
            let text =
                "\(readings.questionCount) questions of about \(readings.questionByteCount) bytes wait for ended jobs to be read (limit "
                + "\(bounds.endedReadings) and \(bounds.endedReadingByteCount)): ask again when some are answered"
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
