//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Client
import Model
import Platform
import Wire
import ZMQ

/// One observer: a client with a session and sockets of its own that keeps replicas of some topics.
struct BenchObserver {
    private var loop: ClientLoop<SocketTransport, SystemClientClock, WireCodec>
    private var notices: [ClientNotice] = []
    /// Changes that were seen and verified.
    private(set) var verifiedChanges = 0
    /// The front as topic `front` shows it; nil: not seen yet, or not observed.
    private(set) var front: FrontSummary?
    /// How many jobs there are in each state, as topic `jobs` shows it; nil: not seen yet.
    private(set) var counts: JobCounts?

    /// An observer that says hello in its first turn. To be made and used by one thread.
    init(of topics: [Topic], label: String, context: Context, requests: String, signal: EventSignal, seed: UInt64) {
        loop = ClientLoop(
            transport: SocketTransport(context: context, requests: requests, signal: signal), clock: SystemClientClock(),
            codec: WireCodec(),
            settings: SessionSettings(label: label, seed: seed))
        loop.turn(topics.map { .observe($0) }, into: &notices)
    }

    /// Reads what has come and sends what is due, without waiting.
    mutating func turn() {
        // A wait until the past only asks the sockets: without it a transport reads nothing.
        loop.wait(until: MonotonicTime(nanoseconds: .min))
        loop.turn([], into: &notices)
        for case .topic(let update) in notices { take(update) }
        notices.removeAll(keepingCapacity: true)
    }

    private mutating func take(_ update: TopicUpdate) {
        // What a snapshot brings is shown before it is verified, and not again then: whose word it is, `bookmark` says.
        if update.isVerified { verifiedChanges += 1 }
        for item in update.puts {
            switch item.value {
            case .front(let summary): front = summary
            case .counts(let counts): self.counts = counts
            default: continue
            }
        }
    }

    /// What the replica of a topic holds, its sum made anew over every byte; nil: it is not verified to be what the front has.
    func bookmark(of topic: Topic) -> Model.Publication.Bookmark? {
        guard let replica = loop.replicas.first(where: { $0.topic == topic }), replica.isVerified else { return nil }
        return Model.Publication.Bookmark(
            front: replica.front, epoch: replica.epoch, sequence: replica.sequence, checksum: replica.ownChecksum)
    }
}
