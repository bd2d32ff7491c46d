//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryModel
import Journal

/// A process with a journal, for the tests: it is killed while it writes, runs out of disk or of its share, counts or measures.
@main
enum JournalProbe {
    static func main() throws {
        let words = Array(CommandLine.arguments.dropFirst())
        switch words.first {
        case "write" where words.count == 2: try write(folder: words[1])
        case "full" where words.count == 2: try fillTheDisk(folder: words[1])
        case "quota" where words.count == 2: try useUpTheQuota(folder: words[1])
        case "open" where words.count == 2: try open(folder: words[1])
        case "measure" where words.count == 4: try measure(folder: words[1], words[2], words[3])
        default: send("usage: JournalProbe write FOLDER | full FOLDER | quota FOLDER | open FOLDER | measure FOLDER BYTES SECONDS")
        }
    }

    /// The entries that the probe writes for a turn, so that a reader can tell them from others.
    static func entries(of turn: TurnNumber, byteCount: Int) -> [UInt8] {
        (0..<byteCount).map { UInt8(truncatingIfNeeded: turn.rawValue &* 31 &+ UInt64($0)) }
    }

    static func send(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Appends for ever, a checkpoint each 50 turns, and prints each turn once it is durable.
    private static func write(folder: String) throws {
        let probe = try ProbeJournal(folder: folder, ballastByteCount: 1 << 20)
        send("last \(probe.journal.lastTurn)")
        while true {
            let turn = probe.next()
            let phase = turn.rawValue % 50
            var slice: JournalRow.Slice?
            if phase < 3 {
                let checkpoint = TurnNumber(turn.rawValue - phase)
                slice = .init(checkpoint: checkpoint, entries: entries(of: turn, byteCount: 40), isLast: phase == 2)
            }
            let bytes = entries(of: turn, byteCount: Int(turn.rawValue % 700))
            guard probe.commit(JournalRow(turn: turn, entries: bytes, slice: slice)) == [.durable(turn)] else {
                return send("stopped")
            }
            send("durable \(turn)")
        }
    }

    /// Fills the file system around the journal, appends until it says so, makes room, and goes on.
    private static func fillTheDisk(folder: String) throws {
        let probe = try ProbeJournal(folder: folder + "/journal", ballastByteCount: 1 << 20)
        let filler = folder + "/filler"
        guard FileManager.default.createFile(atPath: filler, contents: nil), let file = FileHandle(forWritingAtPath: filler) else {
            return send("no filler")
        }
        var block = 65_536
        while block > 0 {
            do { try file.write(contentsOf: Data(count: block)) } catch { block /= 2 }
        }
        try file.close()
        send("disk is full")
        for _ in 0..<2000 {
            let turn = probe.next()
            probe.journal.append(JournalRow(turn: turn, entries: entries(of: turn, byteCount: 20_000)))
            let event = probe.nextEvent()
            if event == .durable(turn) { continue }
            send("\(event)")
            return try useTheBallast(probe, turn: turn, filler: filler)
        }
        send("never full")
    }

    /// The reserve has been given up: the row fits in it; then the disk is freed.
    private static func useTheBallast(_ probe: ProbeJournal, turn: TurnNumber, filler: String) throws {
        guard probe.nextEvent() == .durable(turn) else { return send("the reserve was of no use") }
        send("durable \(turn) from the reserve")
        try FileManager.default.removeItem(atPath: filler)
        send("\(probe.nextEvent())")
        let last = probe.next()
        let events = probe.commit(JournalRow(turn: last, entries: entries(of: last, byteCount: 20_000)))
        send(events == [.durable(last)] ? "durable again" : "\(events)")
        try probe.journal.close()
        send("closed \(last)")
    }

    /// Commits one row after the other, then prints commits a second and the median time of one.
    private static func measure(folder: String, _ size: String, _ time: String) throws {
        guard let byteCount = Int(size), let seconds = Double(time) else { return send("not a number") }
        let probe = try ProbeJournal(folder: folder, ballastByteCount: 64 << 20)
        let clock = ContinuousClock()
        let start = clock.now
        var times: [Duration] = []
        while clock.now - start < .seconds(seconds) {
            let turn = probe.next()
            let row = JournalRow(turn: turn, entries: entries(of: TurnNumber(1), byteCount: byteCount))
            times.append(clock.measure { _ = probe.commit(row) })
        }
        let rate = Double(times.count) / seconds
        times.sort()
        let (median, late) = (times[times.count / 2], times[times.count * 99 / 100])
        send("bytes=\(byteCount) commits_per_s=\(Int(rate)) p50=\(median) p99=\(late) max=\(times[times.count - 1])")
        try probe.journal.close()
    }
}
