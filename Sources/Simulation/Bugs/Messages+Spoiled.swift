//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension ClientMessage {
    /// A filter becomes none.
    var withoutFilter: ClientMessage {
        guard case .request(var request) = self, case .filter(let key, let view, _, let version) = request.body else { return self }
        request.body = .filter(key, view: view, text: "", version: version)
        return .request(request)
    }
}

extension WorkerMessage {
    /// A registration has one slot more.
    var withOneSlotMore: WorkerMessage {
        guard case .register(var registration) = self else { return self }
        registration.slots += 1
        return .register(registration)
    }
}

extension WorkerBoundMessage {
    /// A cancel is gone; a renewal's answer names none.
    var withoutCancels: WorkerBoundMessage? {
        switch self {
        case .cancel: nil
        case .renewed(let number, _): .renewed(number, cancels: [])
        case .registered, .registerAgain, .grant, .recall, .settled, .drain, .refused, .unknown, .unreadable: self
        }
    }
}

extension FrontMessage {
    /// The first outcome of an answer is another one.
    var withFirstEndSpoiled: FrontMessage {
        guard case .answers(var answers) = self, let first = answers.states.first else { return self }
        answers.states[0] = first == JobState.succeeded.rawValue ? JobState.failed.rawValue : JobState.succeeded.rawValue
        return .answers(answers)
    }
}

extension Fact {
    /// Whether a checkpoint begins with it.
    var isCheckpointHead: Bool {
        guard case .countsStored = self else { return false }
        return true
    }

    /// Jobs stand where they would without a priority.
    var withoutPriority: Fact {
        switch self {
        case .jobsAccepted(var accepted):
            accepted.rank = accepted.acceptedAt.milliseconds
            return .jobsAccepted(accepted)
        case .jobsStored(var stored):
            stored.ranks = stored.acceptedAt
            return .jobsStored(stored)
        case .sessionOpened, .sessionEnded, .replyKept, .feedJobAccepted, .granted, .returned, .requeued, .ended, .cancelRequested,
            .workerAttached, .workerLost, .feedChanged, .feedForgotten, .viewChanged, .viewForgotten, .idsReserved, .countsStored,
            .epochBegan:
            return self
        }
    }
}
