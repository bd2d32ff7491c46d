//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// The states of a topic as they come, one for each event of its replica; each iteration reads on its own.
///
/// A slow reader never holds anything up: at most `limit` states wait for it, the newest always among them. The sequence ends when the
/// client is closed or the reading task is cancelled, and after a state with a `failure`: the client cannot keep that topic. Losing the
/// front does not end it: the states go on when it is back.
public struct TopicStates: AsyncSequence, Sendable {
    let client: GantryClient
    let topic: Topic
    let limit: Int

    /// Begins to read: the first reader of a topic makes the client keep a replica of it, the last one ends that.
    public func makeAsyncIterator() -> Iterator { Iterator(Lease(client, topic, limit)) }

    /// One reading of the states.
    public struct Iterator: AsyncIteratorProtocol {
        private let lease: Lease

        init(_ lease: Lease) { self.lease = lease }

        /// The next state, nil at the end.
        public mutating func next() async -> TopicState? { await lease.mailbox.next() }
    }

    /// Holds the replica for as long as the iterator lives.
    final class Lease: Sendable {
        let mailbox: TopicMailbox
        private let client: GantryClient
        private let topic: Topic

        init(_ client: GantryClient, _ topic: Topic, _ limit: Int) {
            (self.client, self.topic, mailbox) = (client, topic, TopicMailbox(limit: limit))
            client.driver.add(mailbox, to: topic)
        }

        deinit { client.driver.remove(mailbox, from: topic) }
    }
}
