//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What a request asks of the jobs of the queue.
///
/// All that is known of a kind of such request without looking at the front stands in this file, so that a new one is told of here and nowhere else.
public enum JobRequest: Hashable, Sendable {
    /// Ends a job for everybody.
    case cancel(JobID)
    /// Gives a waiting job another priority: it stands in line as if it had been accepted with that.
    case reprioritize(JobID, priority: UInt8)
    /// Lists jobs, newest first.
    case list(JobQuery)
    /// Tells why a job is where it is.
    case explain(JobID)
    /// Asks how jobs ended that the session had submitted.
    case outcomes([JobID])
}

extension JobRequest {
    /// What carrying it out does.
    public var effect: RequestBody.Effect {
        switch self {
        case .cancel: .cancel
        case .reprioritize: .change
        case .list, .explain, .outcomes: .list
        }
    }

    /// Bytes of what it carries: what bounds of memory count beside its place.
    public var byteCount: Int {
        switch self {
        case .list(let query): query.byteCount
        case .outcomes(let jobs): jobs.count * MemoryLayout<JobID>.stride
        case .cancel, .reprioritize, .explain: 0
        }
    }

    /// Adds what is asked.
    func add(to print: inout Fingerprint) {
        switch self {
        case .cancel(let job), .explain(let job): print.add(job.rawValue)
        case .reprioritize(let job, let priority):
            print.add(job.rawValue)
            print.add(UInt64(priority))
        case .list(let query): query.add(to: &print)
        case .outcomes(let jobs): for job in jobs { print.add(job.rawValue) }
        }
    }

    /// The number of the request's field in `gantry.proto`.
    var kindNumber: UInt8 {
        switch self {
        case .cancel: 7
        case .list: 15
        case .explain: 16
        case .outcomes: 17
        case .reprioritize: 21
        }
    }
}
