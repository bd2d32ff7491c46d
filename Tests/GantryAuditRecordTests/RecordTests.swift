//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryModel
import GantryPlatform
import TestSupport
import Testing

@testable import GantryAuditRecord

@Suite("Records of jobs with limits")
struct RecordTests {
    private let temporary: TemporaryFolder
    private let files: RecordFiles

    init() throws {
        temporary = try TemporaryFolder()
        files = RecordFiles(folder: temporary.path + "/audit")
    }

    private func writer(_ id: UInt64 = 1, _ bounds: RecordBounds = RecordBounds()) -> RecordWriter {
        RecordWriter(folder: files.folder, writer: RecordWriterName(.worker, id), label: "w\(id)", bounds: bounds)
    }

    private func audited(isRunning: Bool = false) throws -> [AuditedRun] {
        try files.read().audited(at: SystemClock.wallMilliseconds() * 1_000_000) { _ in isRunning }
    }

    @Test("what is written is read again: jobs, leases, limits with values and rates, and how runs ended")
    func whole() throws {
        let writer = writer()
        writer.noteLease(until: 5_000)
        #expect(files.names.isEmpty)
        let refill = LimitRefill(10, per: .seconds(60), burst: 3)
        let limits = [
            GrantedLimit(LimitKey("api", value: "a \"b\" é"), LimitRule(capacity: 2, refill: refill), weight: 3, ratedFrom: .max),
            GrantedLimit(LimitKey("mail"), nil),
        ]
        let jobs = [Made.job(.max, limits, takenAt: 17), Made.job(8, limits)]
        let first = try writer.begin(jobs)
        let second = try writer.begin([Made.job(9, limits)])
        writer.end(first)
        let runs = try audited(isRunning: true)
        #expect(runs.map { $0.starts.map(\.job) } == [[JobID(.max), JobID(8)], [JobID(9)]])
        #expect(runs[0].starts.map(\.limited) == jobs.map(\.limited) && runs.allSatisfy { $0.starts[0].leaseEnd == 5_000 })
        #expect(runs.map(\.ending) == [.stopped, .running] && runs[0].label == "w1" && second == 2)
        let read = try files.read()
        #expect(read.writers.map(\.lineCount) == [4] && read.missing.isEmpty && read.torn.isEmpty && !read.writers[0].isCut)
        // Anybody can check a line.
        let line = files.bytes(files.names[0]).split(separator: UInt8(ascii: "\n"))[0]
        let hash = SHA256.hash(Array(RecordHead.noHash.utf8) + line.dropFirst(64)).map { String(Int($0) + 256, radix: 16).dropFirst() }
            .joined()
        #expect(hash == String(decoding: line.prefix(64), as: UTF8.self))
    }

    @Test("jobs that begin together are one line, with what several of them have in common said once")
    func together() throws {
        let (two, three) = (Made.limits(2, from: 0), Made.limits(3, "mail", from: 0))
        let jobs = [Made.job(1, two), Made.job(2, two), Made.job(3, three, takenAt: 9), Made.job(4, two)]
        let starts = jobs.map { RecordedStart(run: 5, job: $0.job, attempt: UInt32($0.job.rawValue), limited: $0.limited, leaseEnd: 6) }
        let line = RecordLine(boot: 3, wall: WallTime(milliseconds: 4), .starts(starts))
        let text = String(decoding: line.json, as: UTF8.self)
        #expect(
            text.contains(#""jobs":["1","2","3","4"]"#) && text.contains(#""set":[0,0,1,2]"#) && text.split(separator: "api").count == 3)
        #expect(RecordLine(json: line.json[...]) == line)
        // Columns that do not belong together are no line.
        for (whole, broken) in [
            (#""jobs":["1","#, #""jobs":["#), (#""attempts":[1,"#, #""attempts":["#), (#""set":[0,0,1,2]"#, #""set":[0,0,1,3]"#),
            (#""set":[0,0,1,2]"#, #""set":[0,0,1]"#), (#""set":[0,0,1,2]"#, #""set":[0,0,-1,2]"#), (#""jobs":["1","#, #""jobs":["x","#),
        ] {
            #expect(text.contains(whole) && RecordLine(json: Array(text.replacing(whole, with: broken).utf8)[...]) == nil, "\(broken)")
        }
        // What repeats them in a later file has all of them, where the earlier one is gone.
        var again = starts
        for index in again.indices { again[index].since = 1 }
        var runs = RecordedRuns()
        let head = RecordHead(
            writer: RecordWriterName(.worker, 1), label: "w", process: ProcessIdentity(namespace: "b/1", number: 1, start: 1), host: "h")
        let index = runs.add(head, at: RecordLine(boot: 1, wall: line.wall, .head(head)), file: "1")
        for _ in 0..<2 { runs.take(RecordLine(boot: 3, wall: line.wall, .starts(again)), of: index) }
        #expect(runs.runs.map { $0.starts.count } == [4])
    }

    @Test("a line whose numbers cannot be is none: nothing that is added to them is beyond the last number")
    func numbers() {
        func line(_ change: (inout String) -> Void) -> RecordLine? {
            var start = RecordedStart(
                run: 1, job: JobID(1), attempt: 1, limited: Made.job(1, Made.limits(2), takenAt: 17).limited, leaseEnd: 5)
            start.limited.limits[0].rule?.refill = LimitRefill(10, per: .seconds(60))
            var text = String(decoding: RecordLine(boot: 3, wall: WallTime(milliseconds: 4), .starts([start])).json, as: UTF8.self)
            change(&text)
            return RecordLine(json: Array(text.utf8)[...])
        }
        #expect(line { _ in } != nil)
        for (member, value) in [("boot", 3), ("wall", 4), ("leaseEnd", 5), ("takenAt", 17), ("periodMilliseconds", 60_000)] {
            for other in ["\(Int64.max)", "\(Int64.min)"] {
                let changed = line { text in
                    let whole = text
                    text.replace("\"\(member)\":\(value)", with: "\"\(member)\":\(other)")
                    #expect(text != whole, "\(member) in \(text)")
                }
                #expect(changed == nil, "\(member)")
            }
        }
    }

    @Test("one changed byte, wherever it is, is found and named by file and place")
    func changed() throws {
        let writer = writer()
        for number in UInt64(1)...3 { writer.end(try writer.begin([Made.job(number, Made.limits(2))])) }
        let name = files.names[0]
        let bytes = files.bytes(name)
        for index in bytes.indices {
            var other = bytes
            other[index] ^= 1
            try files.write(other, name)
            let line = 1 + bytes[..<index].count { $0 == UInt8(ascii: "\n") }
            let fault = try #require(files.fault, "byte \(index)")
            #expect(fault.file == name && (fault.line == line || other[index] == UInt8(ascii: "\n")), "byte \(index): \(fault)")
        }
        try files.write(bytes, name)
        #expect(files.fault == nil)
    }

    @Test("a last line that was torn off is left out, wherever it was torn")
    func torn() throws {
        let writer = writer()
        writer.end(try writer.begin([Made.job(1, Made.limits(2))]))
        let name = files.names[0]
        let bytes = files.bytes(name)
        let last = try #require(bytes.dropLast().lastIndex(of: UInt8(ascii: "\n"))) + 1
        for end in last..<bytes.count {
            try files.write(Array(bytes[..<end]), name)
            let read = try files.read()
            // Without its newline alone it is whole.
            let isWhole = end + 1 == bytes.count
            #expect(read.torn.map(\.byteCount) == (end == last || isWhole ? [] : [end - last]))
            #expect(read.writers[0].lineCount == (isWhole ? 3 : 2))
        }
        #expect(try audited().map(\.ending) == [.stopped])
        try files.write(Array(bytes[..<(last + 9)]), name)
        #expect(try audited().map(\.ending) == [.unclosed])
    }

    @Test("a record is bounded: its oldest file goes, the rest is checked by what stands there of it, and what runs stays known")
    func cut() throws {
        var bounds = RecordBounds()
        (bounds.fileByteCount, bounds.files) = (2_000, 3)
        let writer = writer(1, bounds)
        let long = try writer.begin([Made.job(1, Made.limits(2))])
        for number in UInt64(2)...60 { writer.end(try writer.begin([Made.job(number, Made.limits(2))])) }
        #expect(files.names.count == 3)
        let read = try files.read()
        #expect(read.writers.count == 1 && read.writers[0].isCut && read.writers[0].files == files.names && read.missing.isEmpty)
        writer.end(long)
        let runs = try audited()
        let first = try #require(runs.first)
        #expect(first.starts.map(\.job) == [JobID(1)] && first.ending == .stopped && runs.count { $0.starts[0].job == JobID(1) } == 1)
        #expect(runs.allSatisfy { $0.start >= first.start })
        try files.remove(files.names[1])
        let fault = try #require(files.fault)
        #expect(fault.file == files.names[1] && fault.reason.contains("is missing"))
    }

    @Test("files that are read have to follow each other")
    func followed() throws {
        var bounds = RecordBounds()
        bounds.fileByteCount = 600
        let writer = writer(1, bounds)
        for number in UInt64(1)...3 { writer.end(try writer.begin([Made.job(number, Made.limits(2))])) }
        let name = files.names[0]
        let bytes = files.bytes(name)
        let last = try #require(bytes.dropLast().lastIndex(of: UInt8(ascii: "\n"))) + 1
        // Its last line is gone, and what is left is right.
        try files.write(Array(bytes[..<last]), name)
        #expect(files.fault?.file == files.names[1] && files.fault?.reason == "it does not follow the file before it")
    }

    @Test("a folder is bounded: files of ended processes go, the oldest first, and the record says so")
    func folderBound() throws {
        let old = writer(1)
        old.end(try old.begin([Made.job(1, Made.limits(2))]))
        let name = try #require(files.names.first)
        // As if another process had written it.
        var parts = name.split(separator: "-").map(String.init)
        parts[2] = "4194305"
        try FileManager.default.moveItem(atPath: "\(files.folder)/\(name)", toPath: "\(files.folder)/\(parts.joined(separator: "-"))")
        var bounds = RecordBounds()
        bounds.folderByteCount = bounds.fileByteCount * Int64(bounds.files) + 10
        let new = writer(2, bounds)
        _ = try new.begin([Made.job(2, Made.limits(2))])
        #expect(files.names.count == 1)
        let read = try files.read()
        #expect(read.missing.isEmpty && read.removed == [parts.joined(separator: "-")])
    }

    @Test("a file that another writer has seen and that nobody has removed at the bound is missing")
    func missing() throws {
        let first = writer(1)
        _ = try first.begin([Made.job(1, Made.limits(2))])
        let name = files.names[0]
        _ = try writer(2).begin([Made.job(2, Made.limits(2))])
        #expect(try files.read().missing.isEmpty)
        try files.remove(name)
        #expect(try files.read().missing == [name])
    }

    @Test("a folder that is moved, removed or no folder keeps no start: it goes on in a new file, or throws")
    func folderGone() throws {
        let writer = writer()
        let run = try writer.begin([Made.job(1, Made.limits(2))])
        try FileManager.default.moveItem(atPath: files.folder, toPath: files.folder + ".old")
        writer.end(run)
        _ = try writer.begin([Made.job(2, Made.limits(2))])
        #expect(try audited(isRunning: true).map { $0.starts[0].job } == [JobID(2)])
        try FileManager.default.removeItem(atPath: files.folder)
        try Data().write(to: URL(fileURLWithPath: files.folder))
        #expect(throws: SystemError.self) { try writer.begin([Made.job(3, Made.limits(2))]) }
        try FileManager.default.removeItem(atPath: files.folder)
        _ = try writer.begin([Made.job(4, Made.limits(2))])
        // The second still runs, so it is written down once more.
        #expect(try audited(isRunning: true).map { $0.starts[0].job } == [JobID(2), JobID(4)])
    }

    @Test("a file of a later format is named, and lines of a kind that is not known are passed over")
    func later() throws {
        let writer = writer()
        _ = try writer.begin([Made.job(1, Made.limits(2))])
        let name = files.names[0]
        var bytes = files.bytes(name)
        var chain = RecordChain()
        for line in bytes.split(separator: UInt8(ascii: "\n")) { _ = chain.take(line) }
        bytes += chain.append(Array(#"{"kind":"moved","boot":1,"wall":1}"#.utf8))
        try files.write(bytes, name)
        #expect(files.fault == nil)
        let head = try #require(RecordLine(json: bytes.split(separator: UInt8(ascii: "\n"))[0].dropFirst(65)))
        guard case .head(var later) = head.event else {
            Issue.record("\(head)")
            return
        }
        later.format = RecordHead.format + 1
        var other = RecordChain()
        try files.write(other.append(RecordLine(boot: head.boot, wall: head.wall, .head(later)).json), name)
        #expect(files.fault?.reason == "it has format 3: a later version of gantry reads it")
    }

    @Test("the end of a worker's process is written down where that has a record, and ends its runs at the time that it was seen")
    func closed() throws {
        let ends = EndRecorder(folder: files.folder, role: .front)
        let own = try #require(ProcessID(rawValue: ProcessControl.currentID).flatMap { EndRecorder.identity(of: $0) })
        ends.note(own, how: "seen", boot: 1, wall: WallTime(milliseconds: 1))
        #expect(files.names.isEmpty)
        let writer = writer()
        writer.noteLease(until: SystemClock.bootNanoseconds() + 5_000_000_000)
        _ = try writer.begin([Made.job(1, Made.limits(2))])
        let (seen, wall) = (SystemClock.bootNanoseconds(), WallTime(milliseconds: SystemClock.wallMilliseconds()))
        ends.note(own, how: "seen", boot: seen, wall: wall)
        ends.note(own, how: "later", boot: seen + 1_000_000_000, wall: wall)
        let run = try #require(try audited().first)
        #expect(run.ending == .closed(how: "seen") && run.end - run.start < 1_000_000_000)
    }

    @Test("a run that nobody closed counts as running until 500 ms after its lease, and surely until its worker's last line")
    func unclosed() throws {
        let writer = writer()
        let end = SystemClock.bootNanoseconds() + 1_000_000_000
        writer.noteLease(until: end - 10)
        _ = try writer.begin([Made.job(1, Made.limits(2))])
        writer.noteLease(until: end)
        let later = (SystemClock.wallMilliseconds() + 60_000) * 1_000_000
        let run = try #require(try files.read().audited(at: later) { _ in false }.first)
        #expect(run.ending == .unclosed && run.sureEnd - run.start < 500_000_000)
        #expect((1_300_000_000...1_500_000_000).contains(run.end - run.start), "\(run.end - run.start)")
    }
}
