//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// A mistake that a trial is made with, so that its checks are seen to work. None stands in the code that is tried.
package enum TrialBug: String, Sendable, CaseIterable {
    /// The front is told that a worker has ended which goes on.
    case freedEarly
    /// The kernel ends workers some seconds late.
    case killedLate
    /// What limits have said since the last checkpoint is lost when the front begins again.
    case limitsLeftOut
    /// What buckets have is lost then.
    case tokensLeftOut
    /// The front reads capacities as one more.
    case capacityMisread
    /// The front reads weights as 1.
    case weightMisread
    /// Grants leave before they are durable.
    case durableTooEarly
    /// Grants that are durable are left out when the front begins again.
    case grantsLeftOut

    /// As what a trial is to notice it, whatever else it breaks.
    package var breaks: Promise {
        switch self {
        case .freedEarly, .killedLate, .limitsLeftOut, .capacityMisread, .weightMisread, .grantsLeftOut: .limitsHold
        case .tokensLeftOut: .ratesHold
        case .durableTooEarly: .durableBeforeSent
        }
    }
}

// How the front reads what the bug is about; everything else it reads as it is.
extension TrialBug {
    /// Entries, at restart.
    /// - Parameter isBehind: Whether they stand behind a checkpoint, which has each limit.
    func read(_ entries: [JournalEntry], isSlice: Bool, isBehind: Bool) -> [JournalEntry] {
        entries.filter { entry in
            switch (self, entry) {
            case (.limitsLeftOut, .limitChanged): !isBehind
            case (.tokensLeftOut, .tokensChanged): false
            case (.grantsLeftOut, .granted(let granted)): granted.isReregistration || isSlice
            default: true
            }
        }
    }

    /// What a client says.
    func read(_ envelope: ClientEnvelope) -> ClientEnvelope {
        var envelope = envelope
        for (index, message) in envelope.messages.enumerated() {
            switch (self, message) {
            case (.weightMisread, .submit(var submit)):
                submit.options = submit.options.map { options in
                    var options = options
                    options.limitKeys = options.limitKeys.map(\.unweighted)
                    return options
                }
                envelope.messages[index] = .submit(submit)
            case (.capacityMisread, .request(var request)):
                guard case .limit(.set(let name, var rule)) = request.body, let capacity = rule.capacity else { continue }
                rule.capacity = capacity + 1
                request.body = .limit(.set(name, rule))
                envelope.messages[index] = .request(request)
            default: continue
            }
        }
        return envelope
    }
}
