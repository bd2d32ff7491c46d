//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import FrontService
import GRDB
import GantryModel
import GantryPlatform
import GantrySettings
import GantryWire
import Journal
import TestSupport
import Testing

@testable import gantry

@Suite("What doctor says of damage and of a lock that is no front's", .timeLimit(.minutes(5)))
struct DoctorDamageTests {
    private let folder: TemporaryFolder
    private let data: DataFolder

    init() throws {
        folder = try TemporaryFolder()
        data = DataFolder(path: folder.path, origin: .flag)
    }

    /// A journal with two bundles of ended jobs, the second one with a flipped bit.
    private func makeJournal() throws {
        let journal = try open()
        _ = try journal.nextRestored()
        try journal.start {}
        let codec = WireCodec()
        for number in [1, 2] as [UInt64] {
            var bundle = JournalEntry.EndedBundled(BundleNumber(number), .succeeded)
            bundle.jobs = (number * 1_000..<number * 1_000 + 600).map { $0 }
            bundle.states = bundle.jobs.map { _ in .succeeded }
            var row = JournalRow(turn: TurnNumber(number), entries: codec.encode([.endedBundled(bundle)]))
            row.bundles = EndedBundles(made: [EndedBundles.Bundle(BundleNumber(number), entries: codec.encode([JournalEntry]()))])
            journal.append(row)
        }
        try journal.close()
        let file = try DatabaseQueue(path: data.journal + "/journal.sqlite")
        try file.write { try $0.execute(sql: "UPDATE bundle SET checksum = checksum + 1 WHERE number = 2") }
        try file.close()
    }

    private func open() throws -> SQLiteJournal {
        try SQLiteJournal.open(folder: data.journal, wallSeconds: 1, newFrontID: FrontID(1), ballastByteCount: 1 << 16)
    }

    private func isLost(_ check: DoctorCheck, _ state: String) {
        #expect(check.state == .warning && check.detail.hasPrefix("\(state), but not what ended jobs have left in "), "\(check)")
        #expect(check.detail.contains("left in bundle 2 (600 jobs, 2000 to 2599): how each ended is known, its loader, "), "\(check)")
        #expect(check.nextStep?.hasPrefix("check the disk; a front works on, ") == true)
        #expect(check.lostBundles == [JournalCheck.LostBundle(BundleNumber(2), jobCount: 600, 2_000...2_599)])
    }

    @Test("a damaged bundle of ended jobs is named with its jobs, what is lost and what to do, in text and in JSON")
    func bundle() throws {
        try makeJournal()
        isLost(DoctorCheck.journal(data, nil), "can be read")
        let text = try ProgramRun(["doctor", "--data", folder.path])
        #expect(text.output.contains("warn  journal: can be read, but not what ended jobs have left in bundle 2 (600 jobs, 2000 to 2599)"))
        let json = try ProgramRun(["doctor", "--data", folder.path, "--output", "json"])
        let lost = #"{"bundle":"2","firstJob":"2000","jobs":600,"lastJob":"2599"}"#
        #expect(json.output.contains(lost), "\(json.output)")
    }

    @Test("it is named beside a running front too, whose journal is left alone; one that is whole is in use")
    func besideFront() throws {
        try makeJournal()
        let lock = try LockFile(path: data.lock)
        let front = try #require(RunningFront(data))
        let journal = try open()
        while try journal.nextRestored() != nil {}
        try journal.start {}
        isLost(DoctorCheck.journal(data, front), "in use by process \(front.process)")
        var row = JournalRow(
            turn: TurnNumber(3), entries: WireCodec().encode([.bundlesForgotten(JournalEntry.BundlesForgotten([BundleNumber(2)]))]))
        row.bundles = EndedBundles(forgotten: [BundleNumber(2)])
        journal.append(row)
        while journal.nextEvent() == nil { try #require(!Task.isCancelled) }
        let whole = DoctorCheck.journal(data, front)
        #expect(whole.state == .good && whole.detail == "in use by process \(front.process)")
        try journal.close()
        lock.unlock()
    }

    @Test("a folder in the place of an object is named with the next step")
    func folderInPlace() throws {
        let place = "\(data.objects)/ab/\(String(repeating: "c", count: 62))"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let text = try ProgramRun(["doctor", "--data", folder.path])
        let line = "warn  objects: there is a folder where the file of an object belongs: \(place); move it away"
        #expect(text.output.contains(line), "\(text.output)")
        try FileManager.default.removeItem(atPath: place)
        #expect(try ProgramRun(["doctor", "--data", folder.path]).output.contains("ok    objects: \(data.objects)\n"))
    }

    @Test("a client looks for a front at the process alone that the lock names, for there are many; doctor finds whoever has it")
    func named() throws {
        let lock = try LockFile(path: data.lock)
        #expect(RunningFront(data) != nil)
        try OwnedDescriptor(path: data.lock, options: [.write]).write(Array("0000000001\n".utf8), at: 0)
        #expect(RunningFront(data) == nil)
        #expect(FolderHolder(lock: data.lock) == .front(ProcessControl.currentID))
        lock.unlock()
    }

    @Test("a program that is no front and has locked the folder is named by doctor, front and up, with its command")
    func stranger() throws {
        let lock = try LockFile(path: data.lock)
        let words = CommandLine.arguments.joined(separator: " ").prefix(40)
        let answered = "process \(ProcessControl.currentID) (\(words)"
        let doctor = try ProgramRun(["doctor", "--data", folder.path])
        #expect(doctor.output.contains("warn  front: does not run here, and could not: \(answered)"), "\(doctor.output)")
        #expect(doctor.output.contains("which was not started as gantry front, has locked \(data.lock); see what it is, "))
        #expect(doctor.output.contains("ok    journal: none yet\n"))
        for command in [["front"], ["up", "--sample-origin-port", "0"]] {
            let refused = try ProgramRun(command + ["--data", folder.path])
            #expect(refused.exit != .exited(code: 0) && (refused.output + refused.errors).contains(answered), "\(refused)")
            #expect(!(refused.output + refused.errors).contains("another front"), "\(refused)")
        }
        lock.unlock()
        #expect(try ProgramRun(["doctor", "--data", folder.path]).output.contains("ok    front: does not run here\n"))
    }

    @Test("what is no file in the place of the lock is named by doctor and front with the next step", arguments: [false, true])
    func noLock(isLink: Bool) throws {
        let what = isLink ? "a link that leads to no file" : "a folder"
        if isLink {
            try FileManager.default.createSymbolicLink(atPath: data.lock, withDestinationPath: folder.path + "/nowhere/lock")
        } else {
            try FileManager.default.createDirectory(atPath: data.lock, withIntermediateDirectories: false)
        }
        let text = "\(data.lock) is \(what), where the front locks a file"
        let doctor = try ProgramRun(["doctor", "--data", folder.path])
        #expect(doctor.exit == .exited(code: 73) && doctor.output.contains("bad   data folder: \(text); move it away: mv "), "\(doctor)")
        let front = try ProgramRun(["front", "--data", folder.path])
        #expect(front.exit == .exited(code: 73) && front.errors.contains("error: \(text)\nnext:  move it away: mv "), "\(front)")
    }

    @Test("a folder in the place of the ballast file is named by doctor and front")
    func noBallast() throws {
        try makeJournal()
        let place = data.journal + "/" + SQLiteJournal.ballastName
        try FileManager.default.removeItem(atPath: place)
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        let text = "a folder, a link, a pipe or a device stands at \(place), no file; move it away"
        let doctor = try ProgramRun(["doctor", "--data", folder.path])
        #expect(doctor.exit == .exited(code: 73) && doctor.output.contains("bad   journal: ") && doctor.output.contains(text), "\(doctor)")
        let front = try ProgramRun(["front", "--data", folder.path])
        #expect(front.exit == .exited(code: 3) && front.errors.contains(text), "\(front)")
    }

    @Test("a link in the place of the ballast file and a folder in that of SQLite's own journal are named by doctor and front")
    func linkAndFolder() throws {
        try makeJournal()
        let ballast = data.journal + "/" + SQLiteJournal.ballastName
        try FileManager.default.removeItem(atPath: ballast)
        try FileManager.default.createSymbolicLink(atPath: ballast, withDestinationPath: "/nonexistent/x")
        let rollback = data.journal + "/journal.sqlite-journal"
        for place in [ballast, rollback] {
            let doctor = try ProgramRun(["doctor", "--data", folder.path])
            #expect(doctor.exit == .exited(code: 73) && doctor.output.contains("device stands at \(place), no file"), "\(doctor)")
            let front = try ProgramRun(["front", "--data", folder.path])
            #expect(front.exit == .exited(code: 3) && front.errors.contains("device stands at \(place), no file"), "\(front)")
            try FileManager.default.removeItem(atPath: place)
            if place == ballast { try FileManager.default.createDirectory(atPath: rollback, withIntermediateDirectories: false) }
        }
    }

    @Test("a damaged note of what was acknowledged is told by doctor, which an empty one or none is not")
    func mark() throws {
        let journal = try open()
        _ = try journal.nextRestored()
        try journal.start {}
        journal.append(JournalRow(turn: TurnNumber(1), entries: WireCodec().encode([JournalEntry]())))
        try journal.close()
        let path = data.journal + "/journal.sqlite-acknowledged"
        #expect(DoctorCheck.journal(data, nil).state == .good)
        try OwnedDescriptor(path: path, options: [.write]).write([1, 2, 3], at: 0)
        let check = DoctorCheck.journal(data, nil)
        #expect(check.state == .warning && check.detail.hasPrefix("can be read, but \(path) is damaged: "), "\(check)")
        try OwnedDescriptor(path: path, options: [.write]).truncate(to: 0)
        #expect(DoctorCheck.journal(data, nil).state == .good)
        try FileManager.default.removeItem(atPath: path)
        #expect(DoctorCheck.journal(data, nil).state == .good)
    }

    @Test("a program that has the journal open, so that a front that starts would wait and end, is named")
    func held() async throws { try await onOwnThread { try holdJournal() } }

    private func holdJournal() throws {
        let journal = try open()
        _ = try journal.nextRestored()
        try journal.close()
        let script = """
            import signal, sqlite3, sys
            base = sqlite3.connect(sys.argv[1], isolation_level=None)
            base.execute("BEGIN EXCLUSIVE")
            print("held", flush=True)
            signal.pause()
            """
        let holder = try ChildProgram(["/usr/bin/python3", "-c", script, data.journal + "/journal.sqlite"])
        #expect(try holder.nextLine() == "held")
        let check = DoctorCheck.journal(data, nil)
        #expect(check.state == .warning && check.detail.hasPrefix("process \(holder.process) ("), "\(check)")
        // The program has lines of its own, the check has one.
        #expect(check.detail.contains("journal.sqlite open: a front that starts waits 10 s") && !check.detail.contains("\n"), "\(check)")
        try holder.kill()
        _ = try holder.exit()
    }
}
