//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GRDB
import GantryPlatform
import TestSupport
import Testing

@Suite("A data folder with the journal of an earlier version", .timeLimit(.minutes(5)))
struct OldJournalTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var journal: String { folder.path + "/journal" }

    /// A journal whose front was killed.
    private func makeJournal(format: Int) throws {
        let elsewhere = try TemporaryFolder()
        let queue = try DatabaseQueue(path: elsewhere.path + "/journal.sqlite")
        try queue.writeWithoutTransaction { try $0.execute(sql: OldJournal.script(format: format)) }
        try FileManager.default.copyItem(atPath: elsewhere.path, toPath: journal)
        try queue.close()
    }

    private func contents() throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: journal) {
            contents[name] = try Data(contentsOf: URL(fileURLWithPath: "\(journal)/\(name)"))
        }
        return contents
    }

    @Test(
        "front, up and doctor refuse it with the file, its format and the next step, and leave every file of it as it was",
        arguments: OldJournal.formats, [["front"], ["up", "--sample-origin-port", "0"], ["doctor"]])
    func refused(format: Int, command: [String]) throws {
        try makeJournal(format: format)
        let before = try contents()
        #expect(before.count == 3)
        let run = try ProgramRun(command + ["--data", folder.path])
        #expect(run.exit == .exited(code: 73), "\(run.output) \(run.errors)")
        let sentence = """
            \(journal)/journal.sqlite: format \(format) was written by an older gantry, this one reads format 5; nothing was changed. Let \
            the older one end its jobs, then move the folder away to begin without it
            """
        #expect((run.output + run.errors).contains(sentence), "\(run.output) \(run.errors)")
        #expect(try contents() == before)
    }
}
