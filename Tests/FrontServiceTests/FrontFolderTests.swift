//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryModel
import GantryPlatform
import TestSupport
import Testing

@testable import FrontService

@Suite("The data folder of a front")
struct FrontFolderTests {
    private func make(_ files: String...) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for file in files {
            let path = folder.path + "/" + file
            let above = file.hasSuffix("/") ? path : String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
            try FileManager.default.createDirectory(atPath: above, withIntermediateDirectories: true)
            if !file.hasSuffix("/") { try Data("x".utf8).write(to: URL(fileURLWithPath: path)) }
        }
        return folder
    }

    @Test("a folder that cannot be used names the failed call as its cause")
    func cause() {
        let error = #expect(throws: FrontServiceError.self) { try FrontFolder.check("/dev/null/data") }
        #expect(error?.context == "the data folder cannot be used" && error?.cause?.code == "20")
        #expect(error.map { $0.sentence == "\($0.context): \($0.cause?.text ?? "")" } == true, "\(String(describing: error))")
    }

    @Test("a file in the place of a folder of it is named, with what to do", arguments: ["journal", "objects", "run"])
    func noFolder(part: String) throws {
        let folder = try make(part)
        let place = "\(folder.path)/\(part)"
        let errors = [
            #expect(throws: FrontServiceError.self) { try FrontFolder.check(folder.path) },
            #expect(throws: FrontServiceError.self) { try FrontFolder.prepare(folder.path) },
        ]
        for error in errors {
            #expect(error?.code == .cannotWrite && error?.summary == "\(place) is a file, where the front has a folder")
            #expect(error?.nextStep == "move it away: mv \(place) /tmp")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [part])
        // A folder elsewhere is used.
        let elsewhere = try TemporaryFolder()
        try FileManager.default.removeItem(atPath: place)
        try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: elsewhere.path)
        do { try FrontFolder.check(folder.path) } catch { #expect(!error.summary.contains("is a file")) }
    }

    @Test("objects without their journal are refused, with what to do: a new front would take them for nobody's and remove them")
    func journalAway() throws {
        for folder in [try make("objects/ab/cdef"), try make("objects/00/", "objects/ab/cdef", "journal/")] {
            let error = #expect(throws: FrontServiceError.self) { try FrontFolder.checkJournal(folder.path) }
            #expect(error?.code == .storage && error?.summary.contains("put the journal back") == true, "\(String(describing: error))")
            #expect(throws: FrontServiceError.self) { try FrontFolder.check(folder.path) }
        }
    }

    @Test("a new folder, one without objects and one with both are taken")
    func taken() throws {
        for folder in [
            try make(), try make("objects/", "journal/"), try make("objects/ab/", "objects/.lock", "journal/"),
            try make("objects/ab/cdef", "journal/gantry.db"), try make("journal/gantry.db"),
        ] {
            try FrontFolder.checkJournal(folder.path)
        }
    }

    @Test("a trial whether the data folder can be made leaves nothing, and says what a front would")
    func trial() throws {
        let folder = try TemporaryFolder()
        try FrontFolder.checkCanMake(folder.path + "/data", in: folder.path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        let found = #expect(throws: FrontServiceError.self) { try FrontFolder.checkCanMake("/proc/data", in: "/proc") }
        let fault = #expect(throws: FrontServiceError.self) { try FrontFolder.prepare("/proc/data/gantry") }
        #expect(found == fault && fault?.code == .cannotWrite, "\(String(describing: found))")
    }

    @Test(
        "a fault that may pass is tried again by whoever watches over the front, one that stays is not",
        arguments: [
            (SystemErrorCode.deviceFailed, true), (.diskFull, true), (.tooManyOpen, true), (.outOfMemory, true), (.wouldBlock, true),
            (.notFound, true), (.stale, true), (.disconnected, true), (.timedOut, true), (.permissionDenied, false), (.readOnly, false),
            (.notAFolder, false), (.notPermitted, false),
        ])
    func passing(code: SystemErrorCode, isTriedAgain: Bool) {
        let error = FrontFolder.unusable(SystemError(code: code, context: "opening it"))
        #expect(error.code == (isTriedAgain ? .unavailable : .cannotWrite))
    }
}
