//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryModel
import GantryPlatform
import GantryWire
import GantryZMQ
import TestSupport
import Testing

/// Stands where a site's front would and answers every request with what does not belong to it, or nothing at all.
final class WrongFront: Sendable {
    private let stopSignal: EventSignal
    private let ended: EventSignal
    private let received: EventSignal

    init(_ scenario: Scenario, isDeaf: Bool = false) throws {
        let folder = scenario.data + "/run"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let (stopSignal, bound, ended, received) = (try EventSignal(), try EventSignal(), try EventSignal(), try EventSignal())
        (self.stopSignal, self.ended, self.received) = (stopSignal, ended, received)
        _ = try startThread(name: "wrong front") {
            do { try Self.run(folder, bound, stopSignal, isDeaf ? received : nil) } catch {
                Issue.record("the wrong front failed: \(error)")
            }
            bound.signal()
            ended.signal()
        }
        _ = try NumberedDescriptor.waitReadable(bound.fileDescriptor, upTo: .seconds(30))
    }

    /// Ends it and waits until its socket is closed.
    func stop() throws {
        stopSignal.signal()
        #expect(try NumberedDescriptor.waitReadable(ended.fileDescriptor, upTo: .seconds(30)))
    }

    /// Waits until somebody has said something to a deaf one.
    func waitUntilReceived() async throws {
        let received = received
        #expect(try await onOwnThread { try NumberedDescriptor.waitReadable(received.fileDescriptor, upTo: .seconds(60)) })
    }

    private static func run(_ folder: String, _ bound: EventSignal, _ stopSignal: EventSignal, _ received: EventSignal?) throws {
        let context = try Context()
        let router = try Socket<Router>(context)
        try router.apply(OptionSheet())
        try router.bind("ipc://\(folder)/requests")
        bound.signal()
        var poller = Poller()
        let stopSlot = poller.add(fileDescriptor: stopSignal.fileDescriptor)
        _ = try poller.add(router)
        let codec = WireCodec()
        repeat {
            _ = try poller.wait(upTo: nil)
            while let message = try router.receiveRouted() {
                if let received {
                    received.signal()
                    continue
                }
                let envelope = try codec.decodeClient(message.body.copyBytes())
                let answer = FrontEnvelope(
                    front: FrontID(7), epoch: Epoch(1), session: SessionID(9),
                    messages: envelope.messages.compactMap { Self.reply(to: $0, folder) }
                )
                if !answer.messages.isEmpty { _ = try router.send(to: message.routingID, codec.encode(answer)) }
            }
        } while poller[stopSlot].isEmpty
    }

    private static func reply(to message: ClientMessage, _ folder: String) -> FrontMessage? {
        switch message {
        case .hello:
            var welcome = FrontMessage.Welcome(session: SessionID(9), isResumed: false)
            (welcome.changesEndpoint, welcome.pagesEndpoint) = ("ipc://\(folder)/changes", "ipc://\(folder)/pages")
            return .welcome(welcome)
        case .request(let request): return .reply(number: request.number, .done(version: 0))
        case .submit, .snapshot, .close, .heartbeat, .snapshotPartRead, .unknown, .unreadable: return nil
        }
    }
}
