//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension JobQueue {
    /// Accepts submitted jobs, all or none.
    mutating func submit(_ submit: ClientMessage.Submit, _ session: SessionID, _ peer: PeerID, _ rights: Rights, in turn: inout FrontTurn) {
        turn.step(submit.arguments.count)
        let asked = NumberedRequest(submit, session, peer, rights)
        guard turn.state.sessions.admits(asked, in: &turn.context) else { return }
        if let refused = fault(of: submit, in: turn) ?? refusalForNow(of: asked, in: &turn) ?? refusalOfLoader(of: submit, in: &turn) {
            return turn.conclude(asked, with: refused)
        }
        let count = submit.arguments.count
        let first = takeJobs(UInt64(count), in: &turn)
        let accepted = JournalEntry.AcceptedJobs(
            first: first, acceptedAt: turn.now.wall, rankTime: rankTime(in: turn), submitter: .session(session), loader: submit.loader,
            options: submit.options, reportsOutcomes: submit.reportsOutcomes, arguments: submit.arguments)
        turn.record(.jobsAccepted(accepted))
        turn.conclude(asked, with: .jobsAccepted(first: first, count: UInt32(count)))
    }

    /// What is wrong with the submit itself, whenever it comes.
    private func fault(of submit: ClientMessage.Submit, in turn: FrontTurn) -> Reply? {
        let bounds = turn.settings.bounds
        guard !submit.arguments.isEmpty else { return .refusal(.invalidData, "a submit needs at least one job") }
        if let fault = submit.options.fault(ofJobs: submit.arguments.count) { return .refusal(.invalidData, fault) }
        guard FeedKey.isName(submit.loader) else {
            let name = submit.loader.cut(to: Reply.quotedByteCount)
            return .refusal(.unknownLoader, "\"\(name)\" cannot name a loader: \(FeedKey.nameRule)")
        }
        guard submit.arguments.lengths.allSatisfy({ Int($0) <= bounds.payloadByteCount }) else {
            let limit = bounds.payloadByteCount
            return .refusal(.tooLarge, "an argument is over \(limit) bytes (limit): put it into a file and pass its place")
        }
        return nil
    }

    /// Why jobs of that loader cannot be accepted now: too many others are named.
    private mutating func refusalOfLoader(of submit: ClientMessage.Submit, in turn: inout FrontTurn) -> Reply? {
        let limit = turn.settings.bounds.loaderNames
        guard turn.state.jobs.loaderNames.admitsJob(of: submit.loader, limit: limit) else {
            let text = "jobs name \(limit) different loaders (limit): use one of them, or one that a worker offers"
            return turn.busy(.loaderNames, text, retryAfter: RetryPause.usual)
        }
        return nil
    }

    /// The next ids; where jobs are not journalled, a durable reservation covers them first.
    mutating func takeJobs(_ count: UInt64, in turn: inout FrontTurn) -> JobID {
        let first = turn.state.jobs.number { $0.takeJobs(count) }
        reserveIDs(in: &turn)
        return first
    }

    /// Keeps the durable reservation of ids ahead of what is handed out (memory mode).
    mutating func reserveIDs(in turn: inout FrontTurn) {
        guard turn.settings.durability == .memory else { return }
        if let due = turn.state.jobs.numbers.dueReservation { turn.record(.idsReserved(due)) }
    }
}
