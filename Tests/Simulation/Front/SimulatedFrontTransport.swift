//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import FrontCore
import GantryModel

/// The front's sockets in a world, and the place where everything that leaves is looked at.
final class SimulatedFrontTransport: FrontTransport {
    private unowned let process: FrontProcess
    private let world: World

    init(_ process: FrontProcess) {
        self.process = process
        world = process.world
    }

    /// The waiting was done before the turn: a process sleeps between its turns, see `FrontProcess`.
    func wait(until deadline: MonotonicTime?) {
        process.deadline = world.bug == .restless ? world.now : deadline.map { process.worldTime(of: $0) } ?? .max
        process.sleptSince = nil
        _ = process.call()
    }

    func receive(_ channel: FrontChannel) -> ReceivedFrame? {
        guard process.call() else { return nil }
        if channel == .workers, process.overlooksFrames { return nil }
        guard let frame = process.nextFrame(channel) else { return nil }
        process.hasActed = true
        return frame
    }

    func send(_ bytes: [UInt8], to peer: PeerID) -> SendResult {
        process.checkMayLeave()
        guard process.call() else { return .sent }
        world.ledger.willSend(bytes, to: peer, isWorker: process.isWorker(peer))
        let result = world.network.send(bytes, to: peer)
        if result != .full { process.hasActed = true }
        return result
    }

    func publish(_ bytes: [UInt8], under topicFrame: [UInt8]) {
        process.checkMayLeave()
        guard process.call() else { return }
        process.hasActed = true
        if world.bug == .bookmarksLeftOut, world.ledger.isBookmark(bytes) { return }
        world.ledger.willPublish(bytes, under: topicFrame)
        world.network.publish(bytes, under: topicFrame)
    }

    func watch(_ watched: ProcessIdentity) {
        guard process.call() else { return }
        process.watch(watched)
    }

    func unwatch(_ watched: ProcessIdentity) { process.unwatch(watched) }

    func takeEndedProcess() -> ProcessIdentity? { process.call() ? process.takeEndedProcess() : nil }
}

/// The front's clocks in a world.
final class SimulatedFrontClock: FrontClock {
    private unowned let process: FrontProcess

    init(_ process: FrontProcess) { self.process = process }

    func now() -> FrontTime {
        // Until a turn reaches its wait, it is still the moment at which the waiting began.
        if let since = process.sleptSince {
            return FrontTime(monotonic: process.reading(at: since), wall: process.world.wall)
        }
        _ = process.call()
        return FrontTime(
            monotonic: process.reading(at: process.isAlive ? process.world.now : process.diedAt), wall: process.world.wall)
    }
}
