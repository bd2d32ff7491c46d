//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPlatform
import GantryZMQ
import Loading
import Synchronization

/// The one thread of a client and what other threads may touch of it.
final class ClientDriver: Sendable {
    private let calls: Mutex<ClientCalls>
    private let hubs = Mutex<[Topic: TopicHub]>([:])
    /// Whether the front answers, for any number of readers.
    let availability = StateRelay(FrontAvailability.answering)
    private let signal: EventSignal
    private let clock = SystemClientClock()

    /// How long a client that ends waits for what it has still to send: a program must not seem to hang because its front has ended.
    private static var leavePause: Duration { .milliseconds(200) }

    private init(place: String) throws(ClientError) {
        calls = Mutex(ClientCalls(place: place))
        do { signal = try EventSignal() } catch { throw .cannotStart(error) }
    }

    /// Starts the thread.
    static func start(_ endpoint: Endpoint, _ options: ClientOptions, _ codec: some EnvelopeCodec) throws(ClientError) -> ClientDriver {
        let driver = try ClientDriver(place: endpoint.place)
        let seed: UInt64
        do { seed = try SystemRandom.next() } catch { throw .cannotStart(error) }
        var settings = SessionSettings(label: options.label, seed: seed)
        (settings.token, settings.client) = (options.token, options.client)
        var replicaSettings = ReplicaSettings()
        replicaSettings.resyncs = options.resyncs
        do {
            let context = try Context()
            _ = try startThread(name: "gantry-client") { [settings, replicaSettings] in
                driver.work(context, endpoint, codec, settings, replicaSettings)
                // The sockets are closed; what they still hold, the close at least, gets a moment to leave.
                _ = context.terminate(within: .milliseconds(500))
                driver.ended()
            }
        } catch {
            throw .cannotStart(error)
        }
        return driver
    }

    private func work(
        _ context: Context, _ endpoint: Endpoint, _ codec: some EnvelopeCodec, _ settings: SessionSettings,
        _ replicaSettings: ReplicaSettings
    ) {
        let transport = SocketTransport(context: context, requests: endpoint.address, signal: signal)
        var loop = ClientLoop(transport: transport, clock: clock, codec: codec, settings: settings, replicaSettings: replicaSettings)
        var notices: [ClientNotice] = []
        var leaveAt = MonotonicTime.distantFuture
        while true {
            loop.wait(until: min(calls.withLock { $0.nextDeadline() }, leaveAt))
            let (commands, isClosed) = calls.withLock { ($0.takeCommands(), $0.isClosed) }
            loop.turn(commands, into: &notices)
            deliver(notices)
            notices.removeAll(keepingCapacity: true)
            let now = clock.now()
            if isClosed { leaveAt = min(leaveAt, now.advanced(by: Self.leavePause)) }
            // A client must be able to end when its front has ended.
            if isClosed, loop.isFinished || now >= leaveAt { break }
        }
        let ending = hubs.withLock { hubs in
            defer { hubs = [:] }
            return Array(hubs.values)
        }
        for hub in ending { hub.finish() }
    }

    private func deliver(_ notices: [ClientNotice]) {
        let now = clock.now()
        let resumptions = calls.withLock { calls -> [ClientCalls.Resumption] in
            var resumptions: [ClientCalls.Resumption] = []
            for notice in notices { calls.take(notice, at: now, into: &resumptions) }
            calls.expire(at: now, into: &resumptions)
            return resumptions
        }
        for notice in notices {
            switch notice {
            case .topic(let update): hubs.withLock { $0[update.topic] }?.take(update)
            case .topicFailed(let topic, let error): hubs.withLock { $0.removeValue(forKey: topic) }?.fail(error)
            case .availability(let change): availability.update(change)
            case .opened, .refused, .sessionLost, .replied, .accepted, .failed, .ended, .outcomeLost, .page: continue
            }
        }
        for (continuation, result) in resumptions { continuation.resume(returning: result) }
    }

    /// Sends a command that nobody waits for.
    func send(_ command: ClientCommand) {
        calls.withLock { $0.append(command) }
        signal.signal()
    }

    /// Sends a command and waits for its answer; without a command waits for the session.
    /// - Parameter grace: how long the answer is still waited for once the calling task is cancelled; zero: not at all. A task that was
    ///   cancelled before sends nothing.
    func ask(
        within limit: Duration?, awaitsOutcome: Bool = false, grace: Duration = .zero, _ command: ((CallID) -> ClientCommand)?
    ) async throws(ClientError) -> Answer {
        let callID = calls.withLock { $0.makeCallID() }
        let made = command?(callID)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now = clock.now()
                let early = calls.withLock { calls in
                    calls.wait(callID, continuation, command: made, awaitsOutcome: awaitsOutcome, now: now, limit: limit, grace: grace)
                }
                signal.signal()
                if let early { early.0.resume(returning: early.1) }
            }
        } onCancel: {
            let now = clock.now()
            let waiting = calls.withLock { $0.cancel(callID, at: now) }
            signal.signal()
            if let waiting { waiting.0.resume(returning: waiting.1) }
        }
        calls.withLock { $0.finished(callID) }
        return try result.get()
    }

    /// Sends close and ends the thread; calls that wait fail with `closed`.
    func close() {
        let resumptions = calls.withLock { calls -> [ClientCalls.Resumption] in
            guard !calls.isClosed else { return [] }
            var resumptions: [ClientCalls.Resumption] = []
            calls.append(.close)
            calls.close(into: &resumptions)
            return resumptions
        }
        signal.signal()
        for (continuation, result) in resumptions { continuation.resume(returning: result) }
    }

    /// Closes, and waits until the thread has sent close and ended; bounded by a second even if the front does not get it.
    func closeAndWait() async {
        close()
        await withCheckedContinuation { continuation in
            let hasEnded = calls.withLock { $0.waitForEnd(continuation) }
            if hasEnded { continuation.resume() }
        }
    }

    private func ended() {
        for continuation in calls.withLock({ $0.end() }) { continuation.resume() }
    }

    /// Adds a reader to a topic; the first one makes the replica.
    func add(_ mailbox: TopicMailbox, to topic: Topic) {
        let isClosed = hubs.withLock { hubs -> Bool in
            if let hub = hubs[topic] {
                hub.add(mailbox)
            } else {
                let hub = TopicHub(topic)
                hub.add(mailbox)
                hubs[topic] = hub
                // Said under the lock, so that it cannot be overtaken by the end of an earlier replica of the topic.
                send(.observe(topic))
            }
            return calls.withLock { $0.isClosed }
        }
        if isClosed { mailbox.finish() }
    }

    /// Takes a reader away; the last one ends the replica.
    func remove(_ mailbox: TopicMailbox, from topic: Topic) {
        hubs.withLock { hubs in
            guard let hub = hubs[topic], hub.remove(mailbox) else { return }
            hubs[topic] = nil
            send(.unobserve(topic))
        }
    }
}

extension ClientError {
    /// A descriptor, a thread or a socket of the client's cannot be had.
    fileprivate static func cannotStart(_ error: any Error) -> Self {
        Self(.refused, "the client cannot start", nextStep: "raise the limit of open files or threads", because: ErrorCause(error))
    }
}
