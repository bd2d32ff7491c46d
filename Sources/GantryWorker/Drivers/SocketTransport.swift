//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPlatform
import GantryZMQ

/// A DEALER socket and the inbox's signal, polled together by the loop's thread.
final class SocketTransport: WorkerTransport {
    private let context: Context
    private let endpoint: String
    private let signal: EventSignal
    private var socket: Socket<Dealer>
    private var poller: Poller
    private var socketSlot: PollSlot
    private var signalSlot: PollSlot
    private var message = Message()
    /// Whether something was there to read at the last wait.
    private var isReadable = false

    init(context: Context, endpoint: String, signal: EventSignal) throws(ZMQError) {
        (self.context, self.endpoint, self.signal) = (context, endpoint, signal)
        let socket = try Self.connect(context, endpoint)
        var poller = Poller()
        socketSlot = try poller.add(socket)
        signalSlot = poller.add(fileDescriptor: signal.fileDescriptor)
        self.socket = socket
        self.poller = poller
    }

    private static func connect(_ context: Context, _ endpoint: String) throws(ZMQError) -> Socket<Dealer> {
        let socket = try Socket<Dealer>(context)
        var sheet = OptionSheet(maximumMessageByteCount: Int64(MessageBounds.frameByteCount))
        // A front that is started again is found in a fraction of a lease.
        sheet.reconnectInterval = .milliseconds(100)
        sheet.reconnectIntervalMaximum = .milliseconds(500)
        try socket.apply(sheet)
        try socket.connect(endpoint)
        return socket
    }

    func wait(until deadline: MonotonicTime, toSend: Bool) throws {
        let rest = deadline.duration(since: MonotonicTime(nanoseconds: SystemClock.bootNanoseconds()))
        let limit = min(max(rest, .zero), NumberedDescriptor.longestWait)
        poller.watch(socketSlot, for: toSend ? [.readable, .writable] : .readable)
        _ = try poller.wait(upTo: limit)
        isReadable = poller.isReadable(socketSlot)
        if poller.isReadable(signalSlot) { signal.drain() }
    }

    func receive() throws -> [UInt8]? {
        while isReadable {
            switch try socket.receive(into: &message) {
            case .nothing: isReadable = false
            case .message: return message.copyBytes()
            case .malformed: continue
            }
        }
        return nil
    }

    func send(_ frame: [UInt8]) throws -> Bool {
        switch try socket.send(frame) {
        case .sent: true
        case .wouldBlock: false
        }
    }

    func reconnect() throws {
        let socket = try Self.connect(context, endpoint)
        var poller = Poller()
        socketSlot = try poller.add(socket)
        signalSlot = poller.add(fileDescriptor: signal.fileDescriptor)
        self.poller = poller
        self.socket = socket
    }

    /// Lets what was sent leave for up to a second after closing.
    func linger() throws { try socket.set(.linger, to: .seconds(1)) }

    /// Waits for the inbox's signal alone, at most a second.
    func waitForSignal() throws {
        var poller = Poller()
        _ = poller.add(fileDescriptor: signal.fileDescriptor)
        _ = try poller.wait(upTo: .seconds(1))
        signal.drain()
    }
}

/// CLOCK_BOOTTIME and a kernel timer on it that sends SIGKILL.
final class SystemWorkerClock: WorkerClock {
    private let timer: KillTimer

    init() throws(SystemError) { timer = try KillTimer() }

    func now() -> MonotonicTime { MonotonicTime(nanoseconds: SystemClock.bootNanoseconds()) }

    func armKillTimer(at instant: MonotonicTime) throws { try timer.arm(atBootNanoseconds: instant.nanoseconds) }

    func disarmKillTimer() throws { try timer.disarm() }
}
