//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

extension ClientLoop {
    mutating func carryOut(_ command: ClientCommand, at now: MonotonicTime, into notices: inout [ClientNotice]) {
        var actions: [SessionAction] = []
        switch command {
        case .request(let callID, let body): session.request(body, for: callID, into: &actions)
        case .submit(let callID, let batch): session.submit(batch, for: callID, into: &actions)
        case .awaitOutcome(let job): session.awaitOutcome(of: job, at: now, into: &actions)
        case .forgetOutcome(let job): session.forgetOutcome(of: job)
        case .page(let callID, let request):
            if session.isOver {
                notices.append(.failed(callID, SessionMachine.isClosed))
            } else if !pages.ask(request, for: callID, at: now) {
                let context = "too many requests for pages are under way (limit \(PageCalls.limit))"
                notices.append(.failed(callID, ClientError(.busy, context, nextStep: "wait for some of them", isRetryable: true)))
            }
        case .observe(let topic): observe(topic, at: now, into: &notices)
        case .unobserve(let topic): unobserve(topic, at: now, into: &notices)
        case .abandon(let callID):
            session.abandon(callID)
            pages.abandon(callID)
        case .withdraw(let callID): session.withdraw(callID, into: &actions)
        case .close:
            session.close(into: &actions)
            for callID in pages.drain() { notices.append(.failed(callID, SessionMachine.isClosed)) }
        }
        carryOut(actions, at: now, into: &notices)
    }

    /// A front that calls its frames smaller than this is wrong or hostile: no message with the largest payload would fit.
    private static var leastFrameByteCount: Int { 64 << 10 }
    /// How often the connection for pages may be made anew while questions stay unanswered: as long as the longest pause between two of them.
    private static var renewPause: Duration { .seconds(5) }

    mutating func carryOut(_ actions: [SessionAction], at now: MonotonicTime, into notices: inout [ClientNotice]) {
        for action in actions {
            switch action {
            case .notify(let notice): notices.append(notice)
            case .reconnect:
                outbox.removeAll()
                transport.reconnect(.requests)
            case .opened(let welcome, _, _):
                largestFrame = max(Int(welcome.largestFrame), Self.leastFrameByteCount)
                transport.connect(.changes, to: welcome.changesEndpoint)
                transport.connect(.pages, to: welcome.pagesEndpoint)
                for index in replicas.indices {
                    var actions: [ReplicaAction] = []
                    replicas[index].sessionOpened(at: now, into: &actions)
                    carryOut(actions, of: index, at: now, into: &notices)
                }
            case .availability(let availability):
                notices.append(.availability(availability))
                for index in replicas.indices {
                    var actions: [ReplicaAction] = []
                    replicas[index].frontIs(lost: availability == .lost, at: now, into: &actions)
                    carryOut(actions, of: index, at: now, into: &notices)
                }
            case .snapshot(let part, let front, let epoch): receive(part, of: front, epoch, at: now, into: &notices)
            case .topicFailed(let asked, let error):
                guard let index = replicaIndexes[Array(asked.utf8) + [0]] else { continue }
                let topic = replicas[index].topic
                unobserve(topic, at: now, into: &notices)
                notices.append(.topicFailed(topic, error))
            }
        }
    }

    private mutating func receive(
        _ part: FrontMessage.SnapshotPart, of front: FrontID, _ epoch: Epoch, at now: MonotonicTime, into notices: inout [ClientNotice]
    ) {
        // The front names a feed by its whole key; what was asked for may have left the defaults out.
        guard let index = replicaIndexes[part.asked.map { Array($0.utf8) + [0] } ?? part.topic.frame] else {
            return extras.append(.snapshotPartRead(topic: part.topic))
        }
        var actions: [ReplicaAction] = []
        replicas[index].received(part, of: front, epoch, at: now, into: &actions)
        carryOut(actions, of: index, at: now, into: &notices)
    }

    mutating func carryOut(_ actions: [ReplicaAction], of index: Int, at now: MonotonicTime, into notices: inout [ClientNotice]) {
        for action in actions {
            switch action {
            case .subscribe(let topic):
                transport.subscribe(to: topic.frame)
                // Several replicas may lead to one key, each by another part of the defaults: all of them get what is published.
                if topic != replicas[index].topic, resolvedIndexes[topic.frame]?.contains(index) != true {
                    resolvedIndexes[topic.frame, default: []].append(index)
                }
            case .unsubscribe(let topic): transport.unsubscribe(from: topic.frame)
            case .renewSubscription:
                // One socket serves all topics, so all of them together may renew it only now and then.
                guard now >= subscriptionRenewedAt.advanced(by: replicaSettings.longestAsk) else { continue }
                subscriptionRenewedAt = now
                transport.reconnect(.changes)
            case .send(let message): if session.isOpen { extras.append(message) }
            case .emit(let update): notices.append(.topic(TopicUpdate(update, codec)))
            }
        }
    }

    private mutating func observe(_ topic: Topic, at now: MonotonicTime, into notices: inout [ClientNotice]) {
        let frame = topic.frame
        guard replicaIndexes[frame] == nil else { return }
        guard replicas.count < Self.topicLimit else {
            let context = "too many topics are observed at once (limit \(Self.topicLimit))"
            let error = ClientError(.busy, context, nextStep: "stop observing some of them, or open another client", isRetryable: true)
            return notices.append(.topicFailed(topic, error))
        }
        replicaIndexes[frame] = replicas.count
        replicas.append(ReplicaMachine(topic: topic, settings: replicaSettings, seed: random.next()))
        var actions: [ReplicaAction] = []
        replicas[replicas.count - 1].start(isFrontLost: session.availability == .lost, at: now, into: &actions)
        carryOut(actions, of: replicas.count - 1, at: now, into: &notices)
    }

    private mutating func unobserve(_ topic: Topic, at now: MonotonicTime, into notices: inout [ClientNotice]) {
        guard let index = replicaIndexes[topic.frame] else { return }
        var actions: [ReplicaAction] = []
        replicas[index].stop(into: &actions)
        carryOut(actions, of: index, at: now, into: &notices)
        replicas.remove(at: index)
        // Made anew, since the places of all replicas behind it have changed; topics are given up seldom.
        (replicaIndexes, resolvedIndexes) = ([:], [:])
        for (index, replica) in replicas.enumerated() {
            replicaIndexes[replica.topic.frame] = index
            if replica.resolved != replica.topic { resolvedIndexes[replica.resolved.frame, default: []].append(index) }
        }
    }

    /// Offers what waits to the transport.
    mutating func flush() {
        let wasWaiting = !outbox.isEmpty
        while let frame = outbox.first, transport.send(frame, to: .requests) { outbox.removeFirst() }
        if wasWaiting, outbox.isEmpty { session.left(at: clock.now()) }
        while let frame = pageOutbox.first, transport.send(frame, to: .pages) { pageOutbox.removeFirst() }
    }

    /// Collects and sends; while something still waits for room nothing new is collected, so memory stays bounded.
    mutating func send(at now: MonotonicTime) {
        if outbox.isEmpty {
            var messages: [ClientMessage] = []
            session.collect(at: now, into: &messages)
            if session.isOpen {
                messages.append(contentsOf: extras)
                extras.removeAll()
            }
            if !messages.isEmpty { enqueue(messages[...]) }
        }
        // Replicas ask again when a session opens, so nothing of theirs waits for that.
        if !session.isOpen { extras.removeAll() }
        if pageOutbox.isEmpty {
            for request in pages.takeDue(at: now) { pageOutbox.append(codec.encode(request)) }
            if pages.isInDoubt, now >= pagesRenewedAt.advanced(by: Self.renewPause) {
                pagesRenewedAt = now
                transport.reconnect(.pages)
            }
        }
        flush()
    }

    private mutating func enqueue(_ messages: ArraySlice<ClientMessage>) {
        let isGreeting = session.phase == .greeting
        let envelope = ClientEnvelope(session: isGreeting ? .none : session.session ?? .none, messages: Array(messages))
        let frame = codec.encode(envelope)
        guard frame.count > largestFrame, messages.count > 1 else { return outbox.append(frame) }
        // By halves: the bytes of a message are known only once it is encoded, and frames that are too large are rare.
        let middle = messages.startIndex + messages.count / 2
        enqueue(messages[..<middle])
        enqueue(messages[middle...])
    }
}
