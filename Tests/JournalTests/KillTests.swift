//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryModel
import GantryPlatform
import TestSupport
import Testing

@testable import Journal

@Suite struct KillTests {
    /// The program that writes a journal, beside the tests.
    static let probe = OutsideCompiler.products.appending(path: "JournalProbe").path

    @Test("a writer killed at any moment, ten times over, loses no turn that it was told is durable")
    func killed() async throws { try await onOwnThread { try killAgainAndAgain() } }

    private func killAgainAndAgain() throws {
        let folder = try TemporaryFolder()
        var acknowledged: UInt64 = 0
        for round in 0..<10 {
            let probe = try ChildProgram([Self.probe, "write", folder.path])
            #expect(try probe.nextLine() != nil)
            var random = SplitMix64(mixing: UInt64(round))
            let lineCount = Int.random(in: 1...(60 + round * 40), using: &random)
            for _ in 0..<lineCount { acknowledged = try turn(try probe.nextLine()) ?? acknowledged }
            try probe.kill()
            while let line = try probe.nextLine() { acknowledged = try turn(line) ?? acknowledged }
            _ = try probe.exit()
            try check(folder.path, atLeast: acknowledged)
        }
        #expect(acknowledged >= 10)
    }

    /// The acknowledged turn in a line; nil: none is named, for example in one cut short by the kill.
    private func turn(_ line: String?) throws -> UInt64? {
        guard let words = line?.split(separator: " "), words.first == "durable", words.count == 2 else { return nil }
        return UInt64(words[1])
    }

    private func check(_ path: String, atLeast acknowledged: UInt64) throws {
        let journal = try RunningJournal(path)
        #expect(journal.journal.lastTurn.rawValue >= acknowledged)
        let rows = try journal.restored()
        let log = rows.filter { !$0.isSlice }
        let checkpoint = rows.first(where: \.isSlice)?.turn.rawValue
        #expect(log.first?.turn.rawValue == checkpoint ?? 1)
        #expect(checkpoint == nil || acknowledged < 102 || checkpoint.map { acknowledged - $0 <= 102 } == true)
        for (row, expected) in zip(log, (log.first?.turn.rawValue ?? 0)...) {
            #expect(row.turn.rawValue == expected)
            #expect(row.entries == entries(expected, byteCount: Int(expected % 700)))
        }
        for row in rows where row.isSlice { #expect(row.entries == entries(row.turn.rawValue, byteCount: 40)) }
        try journal.journal.close()
    }

    /// What `JournalProbe` writes for a turn.
    private func entries(_ turn: UInt64, byteCount: Int) -> [UInt8] {
        (0..<byteCount).map { UInt8(truncatingIfNeeded: turn &* 31 &+ UInt64($0)) }
    }

    @Test("a user's share of the disk that is used up is a full disk: the same row is written once there is room, and nothing ends")
    func quota() async throws { try await onOwnThread { try useUpTheQuota() } }

    private func useUpTheQuota() throws {
        let folder = try TemporaryFolder()
        let probe = try ChildProgram([Self.probe, "quota", folder.path])
        var lines: [String] = []
        while let line = try probe.nextLine() { lines.append(line) }
        _ = try probe.exit()
        // In the end it cannot be opened either, and says why.
        #expect(lines == ["durable 1", "full", "full", "durable 2", "room again", "full"])
    }

    @Test("a full disk gives up the reserve, the row is written from it, and room is noticed by itself")
    func diskFull() async throws { try await onOwnThread { try fillDisk() } }

    private func fillDisk() throws {
        let folder = try TemporaryFolder()
        let script = "mount -t tmpfs -o size=8m tmpfs \(folder.path) && exec \(Self.probe) full \(folder.path)"
        let probe = try ChildProgram(["unshare", "--mount", "sh", "-c", script])
        var lines: [String] = []
        while let line = try probe.nextLine() { lines.append(line) }
        #expect(try probe.exit() == .exited(code: 0), "a private mount namespace is needed: run as root")
        let last = lines.last.map { String($0.split(separator: " ").last ?? "") } ?? ""
        let turn = (UInt64(last) ?? 1) - 1
        #expect(
            lines == [
                "disk is full", "full", "durable \(turn) from the reserve", "roomAgain", "durable again", "closed \(turn + 1)",
            ])
    }
}
