//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel
import GantryPlatform
import GantryZMQ

/// The front's three sockets and the signal that wakes them. Used by the one thread that made it.
final class ZeroMQFrontTransport: FrontTransport {
    private let clients: Socket<Router>
    private let workers: Socket<Router>
    private let changes: Socket<ExtendedPublisher>
    private var poller: Poller
    private var body = Message()
    private let wake: EventSignal
    private let wakeSlot: PollSlot
    private let processes = ProcessWatch()
    private let processSlot: PollSlot?
    private var processesHaveEnded = false
    /// Called for each process of a worker that has ended, before the front does anything about it.
    private let onProcessEnd: (ProcessIdentity) -> Void
    /// The poller's slots of the sockets, by channel.
    private let slots: [PollSlot]
    /// Channels that had something to read at the last wait and were not read empty since: to ask the others costs a system call each. The
    /// workers' socket is always asked, for leases are looked at only after it was seen empty, and a renewal may have come since the wait.
    private var isReadable = Array(repeating: false, count: FrontChannel.allCases.count)
    /// Frames that the library holds for one client, of up to a page each; what is over that waits in the loop's own memory, which is bounded in
    /// bytes.
    private static var clientFrames: Int32 { 64 }
    /// Frames of one client or worker that the library holds for us, of up to 1 MiB each: it counts them and not their bytes. What is over that
    /// waits in the kernel, and then at its sender, who is slowed down; whoever has so many frames here is heard by them. A worker that is busy
    /// packs what it has to say into frames of up to 1 MiB, and one that has nothing to say sends a renewal each second.
    private static var arrivedFrames: Int32 { 16 }
    /// The same for one worker, of up to 1 MiB each: one that reads has a few of them before it, and one that does not costs no more than that.
    private static var workerFrames: Int32 { 16 }
    private var publicationBound = PublicationBound()
    private let gate = PeerGate.ownUser
    /// Frames that a socket refused for another reason than a full or missing peer, counted.
    private(set) var failedSends: UInt64 = 0

    /// Binds the sockets.
    ///
    /// - Throws: `ZMQError` naming the address that is taken, too long or malformed.
    init(
        context: Context, endpoints: FrontEndpoints, wake: EventSignal, onProcessEnd: @escaping (ProcessIdentity) -> Void = { _ in }
    ) throws(ZMQError) {
        self.onProcessEnd = onProcessEnd
        workers = try Socket<Router>(context)
        try workers.apply(Self.sheet(sendHighWaterMark: Self.workerFrames))
        try workers.bind(endpoints.workers)
        clients = try Socket<Router>(context)
        try clients.apply(Self.sheet(sendHighWaterMark: Self.clientFrames))
        try clients.bind(endpoints.requests)
        changes = try Socket<ExtendedPublisher>(context)
        try changes.apply(.publisher(sendHighWaterMark: publicationBound.highWaterMark))
        try changes.bind(endpoints.changes)
        var poller = Poller()
        slots = [try poller.add(workers), try poller.add(clients), try poller.add(changes)]
        self.wake = wake
        wakeSlot = poller.add(fileDescriptor: wake.fileDescriptor)
        processSlot = processes.fileDescriptor.map { poller.add(fileDescriptor: $0) }
        self.poller = poller
        boundEndpoints = (try clients.lastEndpoint, try changes.lastEndpoint, try workers.lastEndpoint)
    }

    /// What both sockets that take messages have in common.
    private static func sheet(sendHighWaterMark: Int32) -> OptionSheet {
        OptionSheet(
            sendHighWaterMark: sendHighWaterMark, receiveHighWaterMark: arrivedFrames,
            maximumMessageByteCount: Int64(MessageBounds.frameByteCount))
    }

    /// The addresses that are really bound, also where a port was chosen by the system.
    let boundEndpoints: (requests: String, changes: String, workers: String)

    /// Waits for a readable socket, a signal or the deadline.
    func wait(until deadline: MonotonicTime?) {
        var limit: Duration?
        if processes.hasGone {
            limit = .zero
        } else if let deadline {
            limit = max(.zero, deadline.duration(since: MonotonicTime(nanoseconds: SystemClock.bootNanoseconds())))
        }
        do {
            _ = try poller.wait(upTo: limit)
        } catch {
            preconditionFailure("the front's sockets cannot be polled: \(error)")
        }
        for channel in slots.indices where poller.isReady(slots[channel]) { isReadable[channel] = true }
        if poller.isReady(wakeSlot) { wake.drain() }
        processesHaveEnded = processes.hasGone || processSlot.map { poller.isReady($0) } ?? false
    }

    /// The next received message of a channel; nil when none was there at the last wait or since, for workers when none is there now.
    func receive(_ channel: FrontChannel) -> ReceivedFrame? {
        let index = Int(channel.rawValue)
        guard channel == .workers || isReadable[index] else { return nil }
        let frame =
            switch channel {
            case .workers: receive(from: workers, channel)
            case .clients: receive(from: clients, channel)
            case .subscriptions: receiveSubscription()
            }
        if frame == nil { isReadable[index] = false }
        return frame
    }

    private func receive(from socket: borrowing Socket<Router>, _ channel: FrontChannel) -> ReceivedFrame? {
        guard let receipt = try? socket.receiveRouted(into: &body) else { return nil }
        switch receipt {
        case .nothing: return nil
        case .malformed(let routingID):
            return ReceivedFrame(peer: routingID.flatMap { PeerID($0, on: channel) } ?? .none, bytes: nil)
        case .message(let routingID):
            guard let peer = PeerID(routingID, on: channel) else { return ReceivedFrame(peer: .none, bytes: nil) }
            // Asked with each frame, for another connection may have taken a routing id that is free again.
            let credentials = body.peerCredentials
            let rights = gate.rights(of: credentials, at: channel)
            guard !rights.isEmpty else { return ReceivedFrame(peer: .none, bytes: nil) }
            // Of clients nobody asks which process they are.
            let process = channel == .workers ? credentials.flatMap { processes.identity(of: $0.processID) } : nil
            let principal = Principal(userID: credentials?.userID, process: process, rights: rights)
            return ReceivedFrame(peer: peer, principal: principal, bytes: body.copyBytes())
        }
    }

    private func receiveSubscription() -> ReceivedFrame? {
        guard let change = try? changes.receiveSubscription() else { return nil }
        return ReceivedFrame(peer: .none, bytes: [change.isSubscribed ? 1 : 0] + change.topic)
    }

    /// Hands a frame to a peer without waiting.
    func send(_ bytes: [UInt8], to peer: PeerID) -> SendResult {
        guard let routingID = peer.routingID else { return .gone }
        let outcome = peer.channel == .workers ? try? workers.send(to: routingID, bytes) : try? clients.send(to: routingID, bytes)
        switch outcome {
        case .sent: return .sent
        case .wouldBlock: return .full
        case .unreachable, nil: return .gone
        }
    }

    /// Publishes under a topic.
    func publish(_ bytes: [UInt8], under topicFrame: [UInt8]) {
        do {
            if let mark = publicationBound.publish(byteCount: bytes.count) { try changes.set(.sendHighWaterMark, to: mark) }
            try changes.publish(topic: topicFrame, payload: bytes)
        } catch {
            failedSends += 1
        }
    }

    func watch(_ process: ProcessIdentity) { processes.watch(process) }

    func unwatch(_ process: ProcessIdentity) { processes.unwatch(process) }

    func takeEndedProcess() -> ProcessIdentity? {
        guard processesHaveEnded else { return nil }
        let process = processes.takeEnded()
        if let process { onProcessEnd(process) }
        processesHaveEnded = process != nil
        return process
    }
}

/// How many publications the library may hold for one observer that does not read, so that they take a bounded number of bytes.
///
/// The library counts messages. The mark follows the largest publication of late: 10,000 small ones, so that a busy observer misses nothing,
/// or a few hundred that carry results. It falls with the first large one and rises only after `window` without another.
struct PublicationBound {
    /// Bytes for one observer that does not read. Twice as many at most, when large ones follow many small ones.
    static var byteLimit: Int { 16 << 20 }
    /// Publications for one observer at most.
    private static var countLimit: Int { 10_000 }
    /// Publications after which those before are thought to be gone.
    static var window: Int { 20_000 }

    /// Sizes are rounded to powers of two, so that the mark moves seldom.
    private var largest = byteLimit / countLimit
    private var largestOfWindow = byteLimit / countLimit
    private var count = 0

    /// The mark that holds now.
    var highWaterMark: Int32 { Int32(clamping: min(Self.countLimit, max(1, Self.byteLimit / largest))) }

    /// Notes a publication; the mark that holds from it on, if that is another one.
    mutating func publish(byteCount: Int) -> Int32? {
        let before = highWaterMark
        largestOfWindow = max(largestOfWindow, Self.roundedUp(byteCount))
        largest = max(largest, largestOfWindow)
        count += 1
        if count == Self.window {
            largest = largestOfWindow
            largestOfWindow = Self.byteLimit / Self.countLimit
            count = 0
        }
        return highWaterMark == before ? nil : highWaterMark
    }

    private static func roundedUp(_ byteCount: Int) -> Int {
        var size = byteLimit / countLimit
        while size < byteCount { size *= 2 }
        return size
    }
}

extension PeerID {
    /// The peer behind a routing id on one of the two routers: channel, length and up to six bytes of the id in one number.
    ///
    /// The library's own ids have five bytes. Nil for longer ids, which only a peer that names itself has.
    init?(_ routingID: RoutingID, on channel: FrontChannel) {
        guard routingID.byteCount <= 6, let number = routingID.number else { return nil }
        self.init(number | UInt64(routingID.byteCount) << 48 | UInt64(channel.rawValue) << 56 | 1 << 63)
    }

    /// The channel that the peer is connected to.
    var channel: FrontChannel { FrontChannel(rawValue: UInt8(truncatingIfNeeded: (rawValue & ~(1 << 63)) >> 56)) ?? .clients }

    /// The routing id that the number was made of.
    var routingID: RoutingID? { RoutingID(number: rawValue, byteCount: Int(rawValue >> 48 & 0xFF)) }
}
