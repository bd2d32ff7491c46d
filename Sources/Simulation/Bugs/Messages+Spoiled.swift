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

    /// Results of eight bytes name the run before.
    var withStaleResults: WorkerMessage {
        guard case .ended(var ended) = self else { return self }
        ended.results = PackedBytes(
            ended.results.map { result in
                var stale = Array(result)
                if stale.count == 8 { stale[0] &-= 1 }
                return stale
            })
        return .ended(ended)
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

    /// Every load is one of the same feed.
    var withOneKey: WorkerBoundMessage {
        guard case .grant(var grant) = self else { return self }
        for index in grant.feedWork.indices where grant.feedWork[index].value.operation == .load {
            grant.feedWork[index].value.key = Feeds.keys[0]
        }
        return .grant(grant)
    }
}

extension Fact {
    /// Jobs stand where they would without a priority.
    var withoutPriority: Fact {
        if case .jobsAccepted(var accepted) = self {
            accepted.rank = accepted.acceptedAt.milliseconds
            return .jobsAccepted(accepted)
        }
        guard case .jobsStored(var stored) = self else { return self }
        stored.ranks = stored.acceptedAt
        return .jobsStored(stored)
    }
}
