//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Foundation
import GantryModel
import GantrySettings
import StateFormatting
import TestSupport
import Testing

@testable import gantry

/// Sentences that somebody new had stumbled over, as they were said better.
@Suite("Sentences")
struct SentenceTests {
    @Test(
        "a command says what it does in words of everyday",
        arguments: [
            (JobSubmit.self, "Submit jobs."), (JobSubmit.self, "The loader to run."),
            (StatusCommand.self, "Show overall health and a suggested next command."),
            (
                SampleOriginCommand.self,
                "delaySeconds 0 to 3600: seconds before the answer begins bytesPerSecond a whole number from 1: how fast"
            ),
            (SampleOriginCommand.self, "times a whole number from 1: the fault is gone when it was met so often"),
            (FeedSort.self, "Sort a view; --none restores the source order."),
            (StatusCommand.self, "Maximum wait, for example 30s; then the command ends with 7 if no front has answered"),
            (
                UpCommand.self,
                "A process that dies is restarted, with the configuration that up has read at its start; a worker that has drained is not."
            ),
            (UpCommand.self, "full: accepted jobs survive a power cut and the end of the front. memory: neither."),
            (FrontServiceCommand.self, "full: accepted jobs survive a power cut and the end of the front. memory: neither."),
        ] as [(any ParsableCommand.Type, String)])
    func help(command: any ParsableCommand.Type, sentence: String) {
        let help = GantryCommand.helpMessage(for: command, columns: 1_000).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(help.contains(sentence), "\(help)")
    }

    @Test(
        "a job says why it waits",
        arguments: [
            (.suspected, "its worker died; the next attempt runs alone on a worker"),
            (.storageFull, "too little is free on the disk of the front"),
            (.slotsTaken, "no slot is free for it"),
            (.workersNotReady, "no worker that offers its loader takes a job at the moment (gantry worker list)"),
            (.slotsReserved(for: JobID(12)), "free slots are reserved for job 12, whose worker died and which runs alone for a while"),
            (.noWorker(loader: "http"), "no registered worker offers the loader http"),
        ] as [(WaitReason, String)])
    func waiting(reason: WaitReason, sentence: String) {
        #expect(reason.line == sentence)
    }

    @Test("a name that no feed can have is no valid one")
    func feedName() throws {
        let error = #expect(throws: (any Error).self) { try FeedArguments.parse(["Big"]).key() }
        let message = error.map { FeedArguments.message(for: $0) } ?? ""
        #expect(message.contains("\"Big\" is not a valid feed name: names are [a-z][a-z0-9-]{0,62}"), "\(message)")
    }

    @Test("a journal that cannot be read is bad, and nobody is told to make room for a copy of it")
    func journal() throws {
        let folder = try TemporaryFolder()
        let data = DataFolder(path: folder.path, origin: .flag)
        try FileManager.default.createDirectory(atPath: data.journal, withIntermediateDirectories: false)
        // The first page of a process is never mapped: also root cannot read it.
        try FileManager.default.createSymbolicLink(atPath: data.journal + "/journal.sqlite", withDestinationPath: "/proc/self/mem")
        let check = DoctorCheck.journal(data, nil)
        #expect(check.state == .bad && check.nextStep == nil, "\(check)")
        #expect(check.detail.hasPrefix("journal \(data.journal)/journal.sqlite: cannot be read ("), "\(check)")
    }
}
