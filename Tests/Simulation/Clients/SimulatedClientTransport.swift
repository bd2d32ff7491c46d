//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import GantryClient
import GantryModel
import GantryWire

/// A client's sockets in a world. Pages are not read there: each question is answered with an empty one.
struct SimulatedClientTransport: ClientTransport {
    unowned let process: ClientProcess

    func wait(until deadline: MonotonicTime, wantsToSend: Bool) {}

    func receive(from channel: ClientChannel) -> [UInt8]? {
        guard process.call() else { return nil }
        switch channel {
        case .requests: return process.requests.inbox.popFirst()?.payload
        case .changes: return nil
        case .pages: return process.pages.popFirst()
        }
    }

    func receivePublication() -> TopicFrames? {
        guard process.call(), let frames = process.changes.inbox.popFirst() else { return nil }
        return TopicFrames(topic: frames.topic, payload: flipped(frames.payload, of: frames.topic))
    }

    func send(_ frame: [UInt8], to channel: ClientChannel) -> Bool {
        guard process.call() else { return true }
        if channel == .pages { answer(frame) }
        guard channel == .requests else { return true }
        let isTaken = process.world.network.send(frame, from: process.requests)
        if !isTaken { process.isBacklogged = true }
        return isTaken
    }

    /// The pages of a world are empty: what matters is that each question is answered once.
    private func answer(_ frame: [UInt8]) {
        guard let request = try? WireCodec().decodePageRequest(frame), !process.world.chance.chance(0.2) else { return }
        process.world.after(process.world.chance.between(1, 400)) { [process] in
            guard process.isAlive else { return }
            process.pages.append(WireCodec().encode(PageReply(number: request.number)))
            process.wake()
        }
    }

    /// The publication, now and then with another bit in the value of an item.
    private func flipped(_ payload: [UInt8], of topic: [UInt8]) -> [UInt8] {
        let world = process.world
        guard world.isStormy, world.chance.chance(world.variation.flipShare),
            case .change(var change)? = try? WireCodec().decodePublication(payload),
            let put = change.puts.indices.randomElement(using: &world.chance),
            let place = change.puts[put].value.indices.randomElement(using: &world.chance)
        else { return payload }
        world.count(.byteFlipped)
        process.spoiledTopics.insert(topic)
        change.puts[put].value[place] ^= 1 << UInt8(world.chance.below(8))
        return WireCodec().encode(.change(change))
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

/// A client's clock in a world.
struct SimulatedClientClock: ClientClock {
    unowned let process: ClientProcess

    func now() -> MonotonicTime {
        _ = process.call()
        return process.reading(at: process.world.now)
    }
}
