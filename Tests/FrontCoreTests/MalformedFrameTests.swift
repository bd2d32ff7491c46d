//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Frames that are no envelopes")
struct MalformedFrameTests {
    private func refusals(_ front: LoopHarness, _ peer: PeerID, _ channel: FrontChannel) throws -> [Refused] {
        let messages: [Refused?] =
            channel == .workers
            ? try front.takeSent(toWorker: peer).map { if case .refused(let refused) = $0 { refused } else { nil } }
            : try front.takeSent(to: peer).flatMap(\.envelope.messages).map { if case .refused(let refused) = $0 { refused } else { nil } }
        return messages.compactMap { $0 }
    }

    @Test("the refusal says what the reader says of the frame", arguments: [FrontChannel.clients, .workers])
    func reason(channel: FrontChannel) throws {
        let front = try LoopHarness()
        let peer = PeerID(9)
        // A field that is longer than the frame; a message of two frames.
        for bytes: [UInt8]? in [[0x0A, 0x7F, 1], nil] { front.send(bytes, from: peer, on: channel) }
        try front.turn()
        let refusals = try refusals(front, peer, channel)
        #expect(refusals.map(\.code) == [.invalidData, .invalidData])
        #expect(Set(refusals.map(\.reason)).count == 2 && refusals.last?.reason.contains("other frames than one") == true, "\(refusals)")
        #expect(refusals.allSatisfy { $0.reason.contains("cannot be read: ") && $0.reason.contains("PROTOCOL.md") })
        #expect(refusals.allSatisfy { !$0.reason.contains("Protobuf") }, "no word of the library: \(refusals)")
    }

    /// A registration with one part that is too long.
    enum Long: CaseIterable {
        case name, loader, namespace, token, secret

        var registration: WorkerMessage.Registration {
            let text = String(repeating: "x", count: 65)
            let loader = LoaderDeclaration(name: self == .loader ? text : "slow")
            var registration = WorkerMessage.Registration(
                name: self == .name ? text : "w", processID: 1, slots: 1, prefetch: 0, loaders: [loader])
            registration.secret = Array(repeating: 1, count: self == .secret ? 65 : 32)
            registration.token = self == .token ? Array(repeating: 1, count: 65) : []
            registration.processNamespace = self == .namespace ? text : ""
            return registration
        }
    }

    @Test("a registration that cannot be read is refused with the reason, or its worker would repeat it for ever", arguments: Long.allCases)
    func registration(_ long: Long) throws {
        let front = try LoopHarness()
        let peer = PeerID(9)
        front.worker(peer, WorkerEnvelope(worker: WorkerID(3), messages: [.register(long.registration)]))
        try front.turn()
        let reported = try front.takeSent(toWorker: peer)
        guard reported.count == 1, case .refused(let refused) = reported[0] else {
            Issue.record("\(reported)")
            return
        }
        #expect(refused.code == .tooLarge && refused.retryAfter == .zero)
        #expect(refused.reason.contains("65 bytes is over the limit of 64"))
    }

    @Test("what of a worker is not understood is refused and counted, each message once, whether it has registered or not")
    func messages() {
        var front = FrontHarness()
        var worker = WorkerHarness(1)
        func count() -> UInt64? {
            guard case .front(let summary) = front.machine.item("front", of: .front) else { return nil }
            return summary.malformedMessages
        }
        let error = CodecError(what: "a progress's message", reason: "257 bytes is over the limit of 256", code: .tooLarge)
        for isRegistered in [false, true] {
            if isRegistered { worker.register(with: &front) }
            let before = count() ?? 0
            let words: [WorkerMessage] = [.unreadable(error), .unknown, .unreadable(error), .renewal(RenewalNumber(1), leases: [])]
            let envelope = WorkerEnvelope(
                worker: worker.id, epoch: worker.epoch, registrationNumber: worker.registrationNumber, messages: words)
            var codes: [FailureCode?] = []
            for case .sendToWorker(_, .refused(let refused)) in front.handle(.workerSent(worker.peer, Principal.everything, envelope)) {
                codes.append(refused.code)
            }
            #expect(codes == [.tooLarge, .invalidData, .tooLarge])
            #expect(count() == before + 3)
        }
    }

    @Test("requests for pages without a number are counted in the next turn, which they wake, and in no other")
    func pages() throws {
        let front = try LoopHarness()
        try front.turn(1)
        var counted: [UInt64] = []
        front.loop.onDecision = { event, _ in if case .pagesMalformed(let count)? = event { counted.append(count) } }
        front.loop.noteMalformedPages(3)
        try front.turn(1)
        #expect(front.loop.machine.turn.context.summary.malformedMessages == 3)
        try front.turn(1)
        #expect(front.loop.machine.turn.context.summary.malformedMessages == 3 && counted == [3])
    }
}
