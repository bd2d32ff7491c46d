//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What was decided since the last row was handed to the journal.
struct GatheredTurn {
    var facts: [Fact] = []
    /// Bytes that the facts and messages will have, roughly.
    var byteCount = 0
    /// Messages by peer, in order of the peers' first message.
    var clientPeers: [PeerID] = []
    var clientMessages: [PeerID: [(session: SessionID, message: FrontMessage)]] = [:]
    var workerPeers: [PeerID] = []
    /// The messages of each frame: one, and one more for each message that travels apart.
    var workerMessages: [PeerID: [[WorkerBoundMessage]]] = [:]
    /// Changed items of live topics, in order.
    var topics: [Topic] = []
    var changedKeys: [Topic: [String]] = [:]
    var snapshots: [SnapshotRequest] = []
    /// Topics that are to have a beat.
    var beats: [Topic] = []

    /// A client that wants all items of a topic.
    struct SnapshotRequest: Equatable {
        let peer: PeerID
        let session: SessionID
        let topic: Topic
        let asked: String?
    }

    /// Nothing is to be written or sent.
    var isEmpty: Bool {
        facts.isEmpty && clientPeers.isEmpty && workerPeers.isEmpty && topics.isEmpty && snapshots.isEmpty && beats.isEmpty
    }

    mutating func tell(_ peer: PeerID, _ session: SessionID, _ message: FrontMessage) {
        if clientMessages[peer] == nil { clientPeers.append(peer) }
        clientMessages[peer, default: []].append((session, message))
    }

    mutating func tellWorker(_ peer: PeerID, _ message: WorkerBoundMessage) {
        if workerMessages[peer] == nil { workerPeers.append(peer) }
        var frames = workerMessages.removeValue(forKey: peer) ?? [[]]
        frames[frames.count - 1].append(message)
        workerMessages[peer] = frames
    }

    /// Tells a worker in a frame of its own.
    mutating func tellWorkerApart(_ peer: PeerID, _ message: WorkerBoundMessage) {
        if workerMessages[peer] == nil { workerPeers.append(peer) }
        workerMessages[peer, default: [[]]].append(contentsOf: [[message], []])
    }

    mutating func change(_ topic: Topic, _ key: String) {
        if changedKeys[topic] == nil { topics.append(topic) }
        if changedKeys[topic]?.contains(key) != true { changedKeys[topic, default: []].append(key) }
    }
}
