//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Client
import DequeModule
import Model

/// A client's sockets in a world. Pages are not simulated: they never come.
struct SimulatedClientTransport: ClientTransport {
    unowned let process: ClientProcess

    func wait(until deadline: MonotonicTime, wantsToSend: Bool) {}

    func receive(from channel: ClientChannel) -> [UInt8]? {
        guard process.call(), channel == .requests else { return nil }
        return process.requests.inbox.popFirst()?.payload
    }

    func receivePublication() -> TopicFrames? {
        guard process.call(), let frames = process.changes.inbox.popFirst() else { return nil }
        return TopicFrames(topic: frames.topic, payload: frames.payload)
    }

    func send(_ frame: [UInt8], to channel: ClientChannel) -> Bool {
        guard process.call(), channel == .requests else { return true }
        let isTaken = process.world.network.send(frame, from: process.requests)
        if !isTaken { process.isBacklogged = true }
        return isTaken
    }

    func subscribe(to topicFrame: [UInt8]) {
        guard process.call(), !process.changes.topics.contains(topicFrame) else { return }
        process.changes.topics.append(topicFrame)
        if let link = process.changes.link { process.world.network.sendSubscription(link, topicFrame, true) }
    }

    func unsubscribe(from topicFrame: [UInt8]) {
        guard process.call() else { return }
        if let link = process.changes.link { process.world.network.sendSubscription(link, topicFrame, false) }
        process.changes.topics.removeAll { $0 == topicFrame }
    }

    func connect(_ channel: ClientChannel, to endpoint: String) {
        guard process.call(), channel == .changes, !process.changes.isOpen else { return }
        process.world.network.open(process.changes)
    }

    func reconnect(_ channel: ClientChannel) {
        guard process.call() else { return }
        process.world.note("\(process.name) reconnects \(channel)")
        switch channel {
        case .requests: process.world.network.reopen(process.requests)
        case .changes: process.world.network.reopen(process.changes)
        case .pages: break
        }
    }
}
