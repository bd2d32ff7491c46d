//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel
package import GantryPlatform
package import GantryZMQ

extension ClientChannel {
    /// Its place in an array with one element for each channel.
    fileprivate var index: Int { Int(rawValue) }
}

/// A socket behind a reference, so that it can be replaced.
private final class Held<Role: SocketRole> {
    let socket: Socket<Role>

    init(_ socket: consuming Socket<Role>) { self.socket = socket }
}

/// Three sockets of one thread and the signal by which other threads wake it. Make it in the thread that uses it.
package final class SocketTransport: ClientTransport {
    private let context: Context
    private let signal: EventSignal
    private let clock = SystemClientClock()
    private var requests: Held<Dealer>?
    private var changes: Held<Subscriber>?
    private var pages: Held<Dealer>?
    private var endpoints: [ClientChannel: String]
    private var topics: [[UInt8]] = []
    private var poller = Poller()
    /// The poller's slots of the sockets, by channel; nil: it is not open.
    private var slots: [PollSlot?] = []
    private var signalSlot: PollSlot
    private var isPollerStale = true
    /// By channel, whether it had no room when something was last sent.
    private var isBlocked = Array(repeating: false, count: ClientChannel.allCases.count)
    /// By channel, whether it had something to read when the poller was last asked, and was not read empty since: to ask the others costs a
    /// system call each.
    private var isReadable = Array(repeating: false, count: ClientChannel.allCases.count)
    private var watchesWriting = false
    /// Why a socket could not be made or used; nil while all is well.
    package private(set) var failure: ZMQError?

    /// Bytes of the largest frame that is taken: the largest that a front sends, and room for what stands around one item that fills it.
    private static let frameByteLimit = Int64(MessageBounds.frameByteCount + MessageBounds.payloadByteCount)

    /// Messages that wait in a socket: beyond them a send fails at once and is repeated, and what a front publishes is dropped and asked for anew.
    private static let (sendLimit, receiveLimit): (Int32, Int32) = (1_000, 10_000)

    /// Connects to the endpoint for requests; the others follow when the front has named them.
    package init(context: Context, requests: String, signal: EventSignal) {
        self.context = context
        self.signal = signal
        self.signalSlot = poller.add(fileDescriptor: signal.fileDescriptor)
        self.endpoints = [.requests: requests]
        open(.requests)
    }

    /// Waits in the poller; a signal of another thread ends it.
    package func wait(until deadline: MonotonicTime, wantsToSend: Bool) {
        if isPollerStale { watch() }
        if wantsToSend || watchesWriting { watchWriting(wantsToSend) }
        let now = clock.now()
        let rest = max(.zero, deadline.duration(since: now))
        let limit: Duration? = deadline == .distantFuture ? nil : rest
        attempt { () throws(ZMQError) in _ = try poller.wait(upTo: limit) }
        for channel in slots.indices { if let slot = slots[channel], poller.isReadable(slot) { isReadable[channel] = true } }
        if poller.isReadable(signalSlot) { signal.drain() }
    }

    private func watchWriting(_ wantsToSend: Bool) {
        watchesWriting = wantsToSend
        for channel in slots.indices where channel != ClientChannel.changes.index {
            guard let slot = slots[channel] else { continue }
            poller.watch(slot, for: wantsToSend && isBlocked[channel] ? [.readable, .writable] : .readable)
        }
    }

    /// The next frame; nil when nothing waited at the last look.
    package func receive(from channel: ClientChannel) -> [UInt8]? {
        guard isReadable[channel.index] else { return nil }
        var bytes: [UInt8]?
        attempt { () throws(ZMQError) in
            switch channel {
            case .requests: bytes = try requests?.socket.receive()?.copyBytes()
            case .pages: bytes = try pages?.socket.receive()?.copyBytes()
            case .changes: bytes = nil
            }
        }
        if bytes == nil { isReadable[channel.index] = false }
        return bytes
    }

    /// The next publication; nil when nothing waited at the last look.
    package func receivePublication() -> TopicFrames? {
        guard isReadable[ClientChannel.changes.index] else { return nil }
        var frames: TopicFrames?
        attempt { () throws(ZMQError) in
            if let publication = try changes?.socket.receive() {
                frames = TopicFrames(topic: publication.topic, payload: publication.payload)
            }
        }
        if frames == nil { isReadable[ClientChannel.changes.index] = false }
        return frames
    }

    /// Queues a frame; false when the socket has no room or no connection.
    package func send(_ frame: [UInt8], to channel: ClientChannel) -> Bool {
        if channel == .pages, pages == nil { open(.pages) }
        var isSent = false
        attempt { () throws(ZMQError) in
            switch channel {
            case .requests: if case .sent? = try requests?.socket.send(frame) { isSent = true }
            case .pages: if case .sent? = try pages?.socket.send(frame) { isSent = true }
            case .changes: break
            }
        }
        isBlocked[channel.index] = !isSent
        return isSent
    }

    /// Subscribes now and on every later socket.
    package func subscribe(to topicFrame: [UInt8]) {
        topics.append(topicFrame)
        attempt { () throws(ZMQError) in try changes?.socket.subscribe(topicFrame) }
    }

    /// Takes a subscription back.
    package func unsubscribe(from topicFrame: [UInt8]) {
        guard let index = topics.firstIndex(of: topicFrame) else { return }
        topics.remove(at: index)
        attempt { () throws(ZMQError) in try changes?.socket.unsubscribe(topicFrame) }
    }

    /// Connects a channel unless it is connected there already; the one for pages once something is sent there. The session has
    /// looked whether the address is of this machine.
    package func connect(_ channel: ClientChannel, to endpoint: String) {
        guard !endpoint.isEmpty, endpoints[channel] != endpoint else { return }
        endpoints[channel] = endpoint
        if channel == .pages { pages = nil } else { open(channel) }
        isPollerStale = true
    }

    /// Replaces the channel's socket by a new one.
    package func reconnect(_ channel: ClientChannel) {
        if endpoints[channel] != nil, channel != .pages || pages != nil { open(channel) }
    }

    private func open(_ channel: ClientChannel) {
        guard let endpoint = endpoints[channel] else { return }
        isPollerStale = true
        attempt { () throws(ZMQError) in
            var sheet = OptionSheet(
                sendHighWaterMark: Self.sendLimit, receiveHighWaterMark: Self.receiveLimit, maximumMessageByteCount: Self.frameByteLimit)
            // The pause is 100 to 200 ms by chance and never grows: a front that is back is found at once, and an attempt at an address of
            // this machine costs next to nothing. The hello that follows waits for the connection, so there is no storm of messages.
            sheet.reconnectInterval = .milliseconds(100)
            sheet.reconnectIntervalMaximum = .zero
            switch channel {
            case .requests:
                // Only the close of the last socket may linger: what an abandoned one still holds is repeated anyway.
                try requests?.socket.set(.linger, to: .zero)
                sheet.linger = .milliseconds(200)
                requests = try dealer(sheet, endpoint)
            case .pages: pages = try dealer(sheet, endpoint)
            case .changes:
                let socket = try Socket<Subscriber>(context)
                try socket.apply(sheet)
                for topic in topics { try socket.subscribe(topic) }
                try socket.connect(endpoint)
                changes = Held(socket)
            }
        }
    }

    private func dealer(_ sheet: OptionSheet, _ endpoint: String) throws(ZMQError) -> Held<Dealer> {
        let socket = try Socket<Dealer>(context)
        try socket.apply(sheet)
        try socket.connect(endpoint)
        return Held(socket)
    }

    private func watch() {
        isPollerStale = false
        poller = Poller()
        slots = []
        signalSlot = poller.add(fileDescriptor: signal.fileDescriptor)
        attempt { () throws(ZMQError) in
            // In the order of the channels.
            slots.append(try requests.map { held throws(ZMQError) in try poller.add(held.socket) })
            slots.append(try changes.map { held throws(ZMQError) in try poller.add(held.socket) })
            slots.append(try pages.map { held throws(ZMQError) in try poller.add(held.socket) })
        }
    }

    private func attempt(_ body: () throws(ZMQError) -> Void) {
        do { try body() } catch { failure = error }
    }
}

/// The machine's clock for a client's loop; it counts while the machine sleeps.
package struct SystemClientClock: ClientClock, Sendable {
    /// The machine's clock.
    package init() {}

    /// Nanoseconds since the machine started.
    package func now() -> MonotonicTime { MonotonicTime(nanoseconds: SystemClock.bootNanoseconds()) }
}
