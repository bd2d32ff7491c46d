//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

// Pauses: who may begin and end them, when they end by themselves, and how observers see them.
extension JobQueue {
    /// The answer to a request about pauses.
    mutating func answer(to request: PauseRequest, by session: SessionID, in turn: inout FrontTurn) -> Reply {
        if let fault = request.fault { return .refusal(.invalidData, fault) }
        switch request {
        case .begin(let target, let reason, let length):
            if let refused = refusalOfGroup(target, in: &turn) { return refused }
            let (count, bound) = (turn.state.jobs.pauses.count, turn.settings.bounds.pauses)
            // One that is there may be changed, however many there are.
            guard turn.state.jobs.pauses[target] != nil || count < bound else {
                let text = "there are \(count) pauses (limit \(bound)): end one, or pause all loaders"
                return turn.busy(.pauses, text, retryAfter: RetryPause.long)
            }
            let until = length.map { lengthTime(in: turn).advanced(by: $0).milliseconds }
            let label = turn.state.sessions.label(session)
            let members = turn.settings.flow.groups[target.group] ?? GroupMembers()
            change(
                target, to: JournalEntry.LastingPause(by: label, reason: reason, since: turn.now.wall, until: until, members: members),
                in: &turn)
            awaitDue(in: &turn)
        case .end(let target):
            guard turn.state.jobs.pauses[target] != nil else { return .notPaused(target) }
            change(target, to: nil, in: &turn)
        }
        return .done(version: 0)
    }

    /// Why a group cannot be paused: nothing is in it; nil: it can, or the target is none.
    private func refusalOfGroup(_ target: PauseTarget, in turn: inout FrontTurn) -> Reply? {
        guard case .group(let name) = target, turn.settings.flow.groups[name] == nil else { return nil }
        let nearest = turn.nearest(to: name, among: Set(turn.settings.flow.groups.keys))
        let advice = nearest.map { "did you mean \"\($0)\"?" } ?? "give one \"group: \(name)\" in the configuration"
        let arguments = [Failure.groupArgument, name] + (nearest.map { [Failure.nearestArgument, $0] } ?? [])
        return .refusal(.unknownItem, "no loader and no feed is in the group \"\(name)\"; \(advice)", arguments: arguments)
    }

    /// A front begins: who is in a paused group is what its configuration says now. The pause of a group that nothing is in any more ends.
    mutating func configurePauses(in turn: inout FrontTurn) {
        for target in turn.state.jobs.pauses.targets {
            guard case .group(let name) = target, var pause = turn.state.jobs.pauses[target] else { continue }
            guard let members = turn.settings.flow.groups[name] else {
                noteLost(group: name)
                change(target, to: nil, in: &turn)
                continue
            }
            guard members != pause.members else { continue }
            pause.members = members
            change(target, to: pause, in: &turn)
        }
    }

    /// Pauses whose time is over end.
    mutating func endPauses(in turn: inout FrontTurn) {
        for target in turn.state.jobs.pauses.ended(by: lengthTime(in: turn)) { change(target, to: nil, in: &turn) }
    }

    private mutating func change(_ target: PauseTarget, to pause: JournalEntry.LastingPause?, in turn: inout FrontTurn) {
        turn.step(1 + (pause?.members.count ?? turn.state.jobs.pauses[target]?.members.count ?? 0))
        turn.record(.pauseChanged(JournalEntry.PauseChanged(target, pause, lengthTime: lengthTime(in: turn).milliseconds)))
        notePause(of: target, in: &turn)
    }

    /// Observers see a pause otherwise now, and why jobs wait. Those of a single loader, and of a worker, the scheduler calls in question; those of the
    /// feeds of a group it does not know apart.
    private mutating func notePause(of target: PauseTarget, in turn: inout FrontTurn) {
        turn.emit(.changed(.pauses, key: ItemKey.pause(of: target)))
        if target == .everything || !target.group.isEmpty { questions.askAllWaits() }
    }

    /// The wall clock was set: by it pauses that end by themselves end at another time.
    mutating func noteShownPauses(in turn: inout FrontTurn) {
        // Others have no end that the clock would show otherwise.
        let ending = turn.state.jobs.pauses.targets.filter { turn.state.jobs.pauses[$0]?.until != nil }
        for target in ending { turn.emit(.changed(.pauses, key: ItemKey.pause(of: target))) }
        if !ending.isEmpty { questions.askAllWaits() }
    }

    /// A pause as observers see it; nil: there is none of that target.
    /// - Parameter withMembers: Whether it says who is in the group: not as the reason of each job that waits.
    func pause(of target: PauseTarget, withMembers: Bool = false, in turn: FrontTurn) -> Pause? {
        guard let pause = turn.state.jobs.pauses[target] else { return nil }
        return Pause(
            target, by: pause.by, reason: pause.reason, since: pause.since,
            until: pause.endsAt.map { shownLengths.wallTime(of: $0) }, members: withMembers ? pause.members : GroupMembers())
    }

    /// The pause that keeps a job waiting; nil: none does.
    func pause(holding record: JobRecord, in turn: FrontTurn) -> Pause? {
        turn.state.jobs.pauses.target(
            holding: turn.state.jobs.loader(of: record), feed: turn.state.jobs.askedFeed(of: record)
        ).flatMap { pause(of: $0, in: turn) }
    }

    /// The pause of a worker that would take a job which no other one takes; nil: there is none.
    func pause(ofWorkersOffering record: JobRecord, in turn: FrontTurn) -> Pause? {
        turn.state.jobs.pausedWorker(offering: Int(record.loader)).flatMap { turn.state.workers[$0]?.registration.name }.flatMap {
            pause(of: .worker($0), in: turn)
        }
    }
}

extension Reply {
    /// There is no pause of that target.
    fileprivate static func notPaused(_ target: PauseTarget) -> Reply {
        let text =
            switch target {
            case .everything: "there is no pause of all loaders; single ones may be paused"
            case .loader(let name): "the loader \(name) is not paused"
            case .group(let name): "no group \(name) is paused"
            case .worker(let name): "no worker \(name) is paused"
            }
        return .refusal(.unknownItem, text)
    }
}
