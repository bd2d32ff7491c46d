//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Client
import Model
import Settings
import StateJSON

extension CommandFailure {
    /// What a client's error ends a command with.
    init(_ error: ClientError) {
        self.init(
            ExitStatus(error.code), code: error.code.rawValue, message: error.context,
            nextStep: error.nextStep,
            isRetryable: error.isRetryable)
    }

    /// What an error of a client of that front ends a command with: who was not let in over TCP lacks the token, and a front that runs but
    /// does not answer need not be started.
    init(_ error: ClientError, at place: FrontPlace) {
        if error.code == .notConnected, let front = Self.silentFront(at: place) {
            let (reason, _) = front.silence
            self.init(
                ExitStatus(error.code), code: error.code.rawValue,
                message: "\(error.context); a front runs there as process \(front.process) and \(reason)", nextStep: "gantry doctor",
                isRetryable: error.isRetryable)
            return
        }
        guard error.code == ClientErrorCode(.notAuthorized), let path = place.tokenPath else {
            self.init(error)
            return
        }
        let known = place.readToken().isEmpty ? "there is none at \(path)" : "the one at \(path) is another front's"
        self.init(
            ExitStatus(error.code), code: error.code.rawValue,
            message: "the front at \(place.endpoints.requests) asks for its token, and \(known)",
            nextStep: "add --data FOLDER, the data folder of that front")
    }

    /// The front whose sockets a client has asked in vain, if it runs on this machine.
    private static func silentFront(at place: FrontPlace) -> RunningFront? {
        guard place.endpoints.folder != nil else { return nil }
        return RunningFront(place.folder).flatMap { $0.effective == nil ? nil : $0 }
    }

    /// What a failed job or feed ends a command with.
    init(_ failure: Failure, of subject: String, nextStep: String = "") {
        self.init(
            failure.code, message: "\(subject): \(failure.text)", nextStep: nextStep, isRetryable: failure.retryable,
            context: ["failure": failure.id.description])
    }

    /// What a job that did not succeed ends a command with; nil if it did.
    init?(_ job: JobSummary) {
        switch job.state {
        case .succeeded, .waiting, .scheduled, .running, .cancelling: return nil
        case .cancelled:
            let by = job.cancel.map { " by \($0.requestedBy)" } ?? ""
            self.init(.cancelled, code: "cancelled", message: "job \(job.id) (\(job.subject)) was cancelled\(by)")
        case .failed, .expired, .quarantined:
            let failure = job.failure ?? Failure(code: FailureCode(rawValue: job.state.name), text: "ended as \(job.state.name)")
            self.init(failure, of: "job \(job.id) (\(job.subject))", nextStep: Self.nextStep(job, failure))
        }
    }

    /// A failed save is shown to nobody else: who asked is told how to repeat it.
    private static func nextStep(_ job: JobSummary, _ failure: Failure) -> String {
        guard failure.retryable, job.state == .failed, let feed = job.feed, job.operation == .create || job.operation == .update else {
            return "gantry job explain \(job.id)"
        }
        return "gantry feed retry \(feed.shellWord) --failure \(failure.id)"
    }
}
