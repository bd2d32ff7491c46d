//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Synchronization
import Testing

@testable import gantry

@Suite("Lines on standard error")
struct ErrorLinesTests {
    @Test("nobody who writes is held by a pipe that nobody reads, and what is left out is counted", .timeLimit(.minutes(5)))
    func unread() throws {
        var pipe = try PipePair()
        let reader = pipe.takeReader().release()
        let writer = pipe.takeWriter()
        let lines = ErrorLines(descriptor: writer.rawValue)
        let line = String(repeating: "x", count: 1_023)
        // Far more than pipe and queue hold; nobody reads yet.
        for _ in 0..<2_000 { lines.append(line) }
        let read = Mutex<[UInt8]>([])
        let thread = try startThread(name: "reader") {
            let reader = OwnedDescriptor(adopting: reader, name: "the read end")
            var chunk: [UInt8] = []
            while let count = try? reader.read(into: &chunk, count: 65_536), count > 0 { read.withLock { $0 += chunk } }
        }
        lines.flush(upTo: .seconds(30))
        lines.append("last")
        lines.flush(upTo: .seconds(30))
        try writer.close()
        thread.join()
        let text = String(decoding: read.withLock { $0 }, as: UTF8.self)
        // More than one notice, where the writer took the first lines only after some had no room.
        let omitted = text.matches(of: /\((\d+) lines are left out/).compactMap { Int($0.output.1) }
        #expect(!omitted.isEmpty)
        #expect(text.hasSuffix("last\n"))
        #expect(text.components(separatedBy: line).count - 1 + omitted.reduce(0, +) == 2_000)
    }

    @Test("flush waits until everything is written")
    func flush() throws {
        var pipe = try PipePair()
        let reader = pipe.takeReader()
        let writer = pipe.takeWriter()
        let lines = ErrorLines(descriptor: writer.rawValue)
        for number in 0..<100 { lines.append("\(number)") }
        lines.flush(upTo: .seconds(30))
        try writer.close()
        var chunk: [UInt8] = []
        var bytes: [UInt8] = []
        while try reader.read(into: &chunk, count: 4_096) > 0 { bytes += chunk }
        #expect(String(decoding: bytes, as: UTF8.self) == (0..<100).map { "\($0)\n" }.joined())
    }
}
