//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import CQuota
import Foundation
import GantryModel
import Journal

extension JournalProbe {
    /// Uses up this user's share of the disk between two rows, then gives it back; in the end opens the journal without any share.
    static func useUpTheQuota(folder: String) throws {
        guard gantry_quota_install() > 0 else { return send("SQLite does not let its writes be replaced") }
        let probe = try ProbeJournal(folder: folder, ballastByteCount: 1 << 20)
        append(to: probe)
        send(text(of: probe.nextEvent()))
        gantry_quota_set(1)
        append(to: probe)
        for _ in 0..<2 { guard sendNext(of: probe) else { return } }
        gantry_quota_set(0)
        for _ in 0..<2 { guard sendNext(of: probe) else { return } }
        try probe.journal.close()
        gantry_quota_set(1)
        do { _ = try ProbeJournal(folder: folder, ballastByteCount: 1 << 20) } catch let error as JournalError {
            send(error.code.description)
        }
    }

    /// Prints what happens next.
    /// - Returns: whether anything can happen after it: a journal that has failed is silent for good.
    private static func sendNext(of probe: ProbeJournal) -> Bool {
        let event = probe.nextEvent()
        send(text(of: event))
        if case .failed = event { return false }
        return true
    }

    private static func append(to probe: ProbeJournal) {
        let turn = probe.next()
        probe.journal.append(JournalRow(turn: turn, entries: entries(of: turn, byteCount: 20_000)))
    }

    private static func text(of event: JournalEvent) -> String {
        switch event {
        case .durable(let turn): "durable \(turn)"
        case .inDoubt(let turn): "in doubt \(turn)"
        case .bundle(let number, _): "bundle \(number)"
        case .full: "full"
        case .roomAgain: "room again"
        case .authorityRenewed: "authority renewed"
        case .fenced: "fenced"
        case .failed(let text): "failed: \(text)"
        }
    }

    /// Opens a journal, and prints how many bytes the process has read for that.
    static func open(folder: String) throws {
        let before = try readByteCount()
        let probe = try ProbeJournal(folder: folder, ballastByteCount: 1 << 20)
        send("\(try readByteCount() - before)")
        try probe.journal.close()
    }

    /// All bytes that this process has read so far, from the disk or from memory.
    private static func readByteCount() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/io", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix("rchar: ") }
        guard let count = line.flatMap({ Int($0.dropFirst("rchar: ".count)) }) else { throw CocoaError(.fileReadCorruptFile) }
        return count
    }
}
