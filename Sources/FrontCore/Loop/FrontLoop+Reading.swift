//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import Model

extension FrontLoop {
    /// Reads what has arrived, workers first; returns up to which instant everything that workers had sent is handled; nil: some is not.
    func read() -> MonotonicTime? {
        let instant = clock.now().monotonic
        let isHolding = storageIsFull || gathered.byteCount > settings.gatherByteLimit
        if !isHolding {
            while gathered.byteCount <= settings.gatherByteLimit, let held = heldWorkerFrames.popFirst() {
                decide(.workerSpoke(held.peer, held.principal, held.envelope))
            }
        }
        let drained = readWorkers(isHolding: isHolding)
        guard !isHolding else { return drained && heldWorkerFrames.isEmpty ? instant : nil }
        readClients()
        readSubscriptions()
        return drained && heldWorkerFrames.isEmpty ? instant : nil
    }

    private func readWorkers(isHolding: Bool) -> Bool {
        var budget = settings.readByteBudget
        while budget > 0 {
            guard let frame = transport.receive(.workers) else { return true }
            budget -= (frame.bytes?.count ?? 0) + 64
            guard let bytes = frame.bytes, let envelope = try? codec.decodeWorker(bytes) else {
                decide(.malformedFrame(frame.peer, .workers))
                continue
            }
            guard isHolding else {
                decide(.workerSpoke(frame.peer, frame.principal, envelope))
                continue
            }
            var (renewals, others) = (envelope, envelope)
            renewals.messages = envelope.messages.filter(\.isRenewal)
            others.messages = envelope.messages.filter { !$0.isRenewal }
            if !renewals.messages.isEmpty { decide(.workerSpoke(frame.peer, frame.principal, renewals)) }
            if !others.messages.isEmpty { heldWorkerFrames.append((frame.peer, frame.principal, others)) }
        }
        return false
    }

    private func readClients() {
        var budget = settings.readByteBudget
        while budget > 0, gathered.byteCount <= settings.gatherByteLimit, let frame = transport.receive(.clients) {
            budget -= (frame.bytes?.count ?? 0) + 64
            guard let bytes = frame.bytes, let envelope = try? codec.decodeClient(bytes) else {
                decide(.malformedFrame(frame.peer, .clients))
                continue
            }
            decide(.clientSpoke(frame.peer, frame.principal, envelope))
        }
    }

    private func readSubscriptions() {
        for _ in 0..<1_024 {
            guard let frame = transport.receive(.subscriptions) else { return }
            guard let bytes = frame.bytes, let flag = bytes.first, let topic = Topic(frame: Array(bytes.dropFirst())) else {
                decide(.malformedFrame(.none, .subscriptions))
                continue
            }
            observe(topic, flag == 1)
        }
    }
}

extension WorkerMessage {
    /// Whether it is a renewal: handled even while everything else is held.
    fileprivate var isRenewal: Bool {
        switch self {
        case .renewal: true
        case .register, .started, .progress, .ended, .cancelStep, .overdue, .draining, .goodbye, .refusedGrants, .unknown, .unreadable:
            false
        }
    }
}
