//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryPlatform
import Testing

@testable import gantry

@Suite("What is said once")
struct FirstTimeTests {
    /// What a process writes to `--ready-fd`, be it that `up` has started it.
    private func written(isChild: Bool = true, _ write: (ReadinessOptions) -> Void) throws -> String {
        var pipe = try PipePair()
        let reader = pipe.takeReader()
        let writer = pipe.takeWriter()
        write(try ReadinessOptions.parse(["--ready-fd", "\(writer.rawValue)"] + (isChild ? ["--parent", "1"] : [])))
        try writer.close()
        var (chunk, bytes): ([UInt8], [UInt8]) = ([], [])
        while try reader.read(into: &chunk, count: 4_096) > 0 { bytes += chunk }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("a worker says that it drains to up alone: others read one line")
    func drain() throws {
        let line = ReadyLine(drainingWorker: "w").json + "\n"
        #expect(try written { $0.announceDrain(of: "w") } == line)
        #expect(try written(isChild: false) { $0.announceDrain(of: "w") } == "")
    }

    @Test("a worker says once that it is ready, and only after that that it drains")
    func worker() throws {
        let ready = ReadyLine(worker: "w").json + "\n"
        let both = try written {
            let announcements = WorkerAnnouncements($0, worker: "w")
            for _ in 0..<2 { announcements.isRegistered() }
            announcements.drains()
        }
        #expect(both == ready + ReadyLine(drainingWorker: "w").json + "\n")
        let none = try written {
            let announcements = WorkerAnnouncements($0, worker: "w")
            announcements.drains()
            announcements.isRegistered()
        }
        #expect(none == "")
    }

    @Test("the first who asks is the first, and nobody after")
    func once() {
        let ready = FirstTime()
        #expect((0..<3).map { _ in ready.isFirst() } == [true, false, false])
    }
}
