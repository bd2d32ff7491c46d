//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import TestSupport
import Testing

@testable import gantry

@Suite("The folder of doctor for a copy of the journal", .timeLimit(.minutes(5)))
struct DoctorScratchTests {
    private let parent: TemporaryFolder
    private var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: parent.path).sorted()) ?? [] }

    init() throws { parent = try TemporaryFolder() }

    private func make(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: "\(parent.path)/\(name)", withIntermediateDirectories: false)
        try Data(count: 10).write(to: URL(fileURLWithPath: "\(parent.path)/\(name)/journal.sqlite"))
    }

    @Test("it goes with the look, and what a killed doctor has left with the next one; what is in use, and what is no doctor's, stays")
    func leftOvers() throws {
        for name in ["gantry-doctor-left", "gantry-doctor-used", "gantry-test"] { try make(name) }
        try FileManager.default.createSymbolicLink(atPath: "\(parent.path)/gantry-doctor-link", withDestinationPath: "gantry-test")
        let used = try LockFile(path: "\(parent.path)/gantry-doctor-used/lock")
        do {
            let scratch = try DoctorScratch(in: parent.path)
            #expect(FileManager.default.fileExists(atPath: scratch.path) && names.count == 4)
        }
        #expect(names == ["gantry-doctor-link", "gantry-doctor-used", "gantry-test"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(parent.path)/gantry-test") == ["journal.sqlite"])
        used.unlock()
    }

    @Test("it goes with Ctrl-C")
    func interrupted() async throws {
        let (codes, input) = AsyncStream.makeStream(of: Int32.self)
        let scratch = try DoctorScratch(in: parent.path) { input.yield($0) }
        try Data(count: 1 << 20).write(to: URL(fileURLWithPath: scratch.path + "/journal.sqlite"))
        ProcessControl.sendToThisProcess(.interrupt)
        let code = await codes.first { _ in true }
        #expect(code == 130 && names == [])
        withExtendedLifetime(scratch) {}
    }
}
