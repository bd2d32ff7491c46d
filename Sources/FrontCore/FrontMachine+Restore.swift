//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

extension FrontMachine {
    /// Applies one row of an earlier life; decides nothing. All slices of a checkpoint come before all log rows.
    public mutating func restore(_ facts: [Fact], turn number: TurnNumber, isSlice: Bool) {
        for fact in facts { turn.state.apply(fact, turn: isSlice ? .stored(number) : .logged(number)) }
    }

    /// Begins to serve after the last `restore`: leases of earlier lives run on, from the beginning of the first life that their worker has
    /// not registered with; what has no job any more is idle.
    public mutating func start(at time: FrontTime, into actions: inout [FrontAction]) {
        turn.context.begin(at: time, &actions)
        defer { turn.context.end(&actions) }
        queue.begin(in: &turn)
        workforce.noteSent(turn.decided)
        let boot = turn.settings.boot
        turn.record(.epochBegan(Fact.EpochBegan(epoch: turn.settings.epoch, bootID: boot.id, bootMilliseconds: boot.milliseconds)))
        workforce.begin(queue: &queue, in: &turn)
        turn.state.sessions.begin(in: &turn.context)
        feeds.begin(queue: &queue, in: &turn)
        tellFeeds()
        queue.show(in: &turn)
    }
}
