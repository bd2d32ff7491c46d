//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryWire
import Testing

@testable import FrontCore

@Suite("every phase of a checkpoint with everything that can happen to it")
struct CheckpointWriterTableTests {
    /// How far the checkpoint is before, of a front with a session and a job. `idleDue`: enough was written. `running`: its first slice is
    /// written, in turn 3; `runningDue`: and enough for the next one beside it.
    enum Start: CaseIterable {
        case idle, idleDue, near, prepared, running, runningDue
    }

    /// What happens then. `little`, `much`: is written, and less than makes one due, or as much. `notReady`, `ready`: ended jobs are
    /// leaving the state, or have left it. `slice`, `slices`: one slice is asked for, in turn 4, or one after the other until there is
    /// none.
    enum Event: CaseIterable {
        case little, much, notReady, ready, slice, slices
    }

    /// How far it is after each event, in the order of `Event`; `!`: the next one is due. Behind `>` the slices, each with the turn of the
    /// first one; `.`: it is the last. While one runs nobody prepares the next, for none is due: who does has this one begin again.
    static let table: [Start: [String]] = [
        .idle: ["idle", "idle!", "near", "prepared", "idle", "idle"],
        .idleDue: ["idle!", "idle!", "near!", "prepared", "idle!", "idle!"],
        .near: ["near!", "near!", "near!", "prepared", "near!", "near!"],
        .prepared: ["prepared", "prepared", "near!", "prepared", "running>4", "idle>4>4>4."],
        .running: ["running", "running", "near", "prepared", "running>3", "idle>3>3."],
        .runningDue: ["running", "running", "near!", "prepared", "running>3", "idle!>3>3."],
    ]

    private static let dueAt = 1_000

    private let settings = LoopSettings()
    private let front: FrontHarness

    init() {
        var front = FrontHarness()
        front.open()
        _ = front.submit(1)
        self.front = front
    }

    private func writer(_ start: Start) -> CheckpointWriter {
        var writer = CheckpointWriter()
        if start != .idle { writer.note(byteCount: Self.dueAt, entries: 0) }
        switch start {
        case .idle, .idleDue: break
        case .near: writer.prepare(isReady: false)
        case .prepared: writer.prepare(isReady: true)
        case .running, .runningDue:
            writer.prepare(isReady: true)
            _ = slice(&writer, turn: 3)
            if start == .runningDue { writer.note(byteCount: Self.dueAt, entries: 0) }
        }
        return writer
    }

    private func slice(_ writer: inout CheckpointWriter, turn: UInt64) -> JournalRow.Slice? {
        writer.slice(of: front.machine, at: TurnNumber(turn), settings, WireCodec())
    }

    private func meet(_ event: Event, _ writer: inout CheckpointWriter) -> [JournalRow.Slice] {
        switch event {
        case .little: writer.note(byteCount: 743, entries: 0)
        case .much: writer.note(byteCount: 744, entries: 1)
        case .notReady: writer.prepare(isReady: false)
        case .ready: writer.prepare(isReady: true)
        case .slice: return slice(&writer, turn: 4).map { [$0] } ?? []
        case .slices:
            var slices: [JournalRow.Slice] = []
            while let next = slice(&writer, turn: 4) { slices.append(next) }
            return slices
        }
        return []
    }

    private func phase(_ writer: CheckpointWriter) -> String {
        var next = writer
        let phase =
            switch (writer.isUnderWay, writer.hasSlice, slice(&next, turn: 9)?.checkpoint) {
            case (false, false, nil): "idle"
            case (true, false, nil): "near"
            case (true, true, TurnNumber(9)): "prepared"
            case (true, true, .some): "running"
            case (let isUnderWay, let hasSlice, let checkpoint): "\(isUnderWay) \(hasSlice) \(String(describing: checkpoint))"
            }
        return phase + (writer.isDue(after: Self.dueAt) ? "!" : "")
    }

    @Test("each start with each event", arguments: Start.allCases)
    func rows(start: Start) throws {
        let row = try #require(Self.table[start])
        #expect(row.count == Event.allCases.count)
        for (event, expected) in zip(Event.allCases, row) {
            var writer = writer(start)
            let slices = meet(event, &writer).map { ">\($0.checkpoint)" + ($0.isLast ? "." : "") }
            #expect(phase(writer) + slices.joined() == expected, "\(start) and \(event)")
        }
    }
}
