//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import TestSupport
import Testing

@testable import FrontCore

/// However large frames are, a turn reads and handles a bounded number of their bytes.
@Suite("Bytes of a turn", .timeLimit(.minutes(5)))
struct TurnBytesTests {
    private static let frameByteCount = 10_000
    private static let frames = 40
    private let good = PeerID(7)
    private let flooder = PeerID(8)

    private var settings: LoopSettings {
        var settings = LoopSettings()
        (settings.readByteBudget, settings.gatherByteLimit) = (50_000, 20_000)
        return settings
    }

    /// The frames that fit into a turn, and the one that is taken whole at its end.
    private var framesOfTurn: Int { settings.readByteBudget / Self.frameByteCount + 1 }

    /// Frames that cost nothing but their bytes: nobody can read them.
    private func flood(_ front: LoopHarness, _ channel: FrontChannel) {
        for _ in 0..<Self.frames { front.send(Array(repeating: 0xFF, count: Self.frameByteCount), from: flooder, on: channel) }
    }

    /// Frames that were read from a channel and that nobody has opened.
    private func waiting(_ front: LoopHarness, _ channel: FrontChannel) throws -> Int {
        let byteCount = channel == .workers ? front.loop.workerInbox.unopenedByteCount : front.loop.clientInbox.unopenedByteCount
        return byteCount / Self.frameByteCount
    }

    /// Turns until nothing is left, each of which takes something away, and no more than fits.
    private func drain(_ front: LoopHarness, left: () throws -> Int) throws -> Int {
        var (turns, before) = (0, try left())
        while before > 0 {
            try front.turn(1)
            let after = try left()
            try #require(after < before, "nothing is done")
            #expect(before - after <= framesOfTurn, "\(before - after) frames in one turn")
            (turns, before) = (turns + 1, after)
        }
        return turns
    }

    @Test("of one socket no more are read than the turn's budget and one frame", arguments: [FrontChannel.workers, .clients])
    func read(_ channel: FrontChannel) throws {
        let front = try LoopHarness(loop: settings)
        flood(front, channel)
        let turns = try drain(front) { front.unread(channel) }
        #expect(turns >= Self.frames / framesOfTurn)
    }

    @Test("frames that fill the turn's budget to its last byte are all that is read", arguments: [FrontChannel.workers, .clients])
    func filled(_ channel: FrontChannel) throws {
        var settings = settings
        let frame = Inbox<ClientEnvelope>.Frame(principal: .everything, bytes: Array(repeating: 0xFF, count: Self.frameByteCount))
        settings.readByteBudget = 3 * frame.roughByteCount
        let front = try LoopHarness(loop: settings)
        flood(front, channel)
        try front.turn(1)
        #expect(front.unread(channel) == Self.frames - 3)
    }

    @Test("of what had to wait no more are handled than the turn's budget and one frame", arguments: [FrontChannel.workers, .clients])
    func handled(_ channel: FrontChannel) throws {
        let front = try LoopHarness(loop: settings)
        let session = try front.open(good)
        front.holdsRows = true
        // One row is under way, and so much is gathered for the next one that nothing else is decided.
        for number in UInt64(1)...2 { front.client(good, session, submit(number)) }
        try front.turn(2)
        flood(front, channel)
        while front.unread(channel) > 0 { try front.turn(1) }
        #expect(try waiting(front, channel) == Self.frames)
        front.holdsRows = false
        front.release()
        try front.turn(1)
        let turns = try drain(front) { try waiting(front, channel) }
        #expect(turns >= Self.frames / framesOfTurn - 1)
    }

    /// A job with a large argument.
    private func submit(_ number: UInt64) -> ClientMessage {
        let byteCount = 2 * settings.gatherByteLimit
        return .submit(
            ClientMessage.Submit(
                number: RequestNumber(number), lowestUnanswered: RequestNumber(1), loader: "slow", reportsOutcomes: true,
                arguments: [[UInt8](repeating: 7, count: byteCount)]))
    }
}
