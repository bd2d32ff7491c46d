//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPlatform
import Testing

@testable import GantryFileCache

@Suite("Errors of the system")
struct SystemErrorTests {
    @Test("a kernel or a filter without openat2 is told for what it is, not as missing permissions")
    func withoutOpenat2() {
        let error = SystemError(code: .notImplemented, context: "opening x")
        for reported in [FileCacheError.writing(error), .reading(error)] {
            #expect(reported.sentence.contains("refuses openat2: use Linux 5.6 or later"))
            #expect(!reported.sentence.contains("permission"))
        }
    }

    @Test("only the disk's own failure says that an object is damaged; a lack of descriptors, memory or permission does not")
    func damage() {
        let passing: [SystemErrorCode] = [
            .tooManyOpen, .tooManyOpenInSystem, .outOfMemory, .permissionDenied, .notPermitted, .notAFolder, .notFound, .notImplemented,
        ]
        for code in passing {
            #expect(!FileCacheError.reading(SystemError(code: code, context: "opening it")).reportsDamage, "\(code)")
        }
        #expect(FileCacheError.reading(SystemError(code: .deviceFailed, context: "reading it")).reportsDamage)
        let folder = FileCacheError.reaching("/objects", SystemError(code: .deviceFailed, context: "reading /objects/.id"))
        #expect(folder.code == .away && !folder.reportsDamage, "a disk that fails at the folder says nothing of an object")
        #expect(FileCacheError(.damaged, "").reportsDamage && FileCacheError(.notFound, "").reportsDamage)
        #expect(FileCacheError.reading(SystemError(code: .tooManyOpen, context: "")).code == .exhausted)
        #expect(FileCacheError.writing(SystemError(code: .outOfMemory, context: "")).code == .exhausted)
    }

    @Test("a failed call says what was tried, why it failed and what to do, and keeps the system's number as its cause")
    func cause() {
        let error = FileCacheError.reading(SystemError(code: .permissionDenied, context: "opening x"))
        #expect(error.sentence == "opening x: Permission denied (13); give this user read permission for the objects folder")
        #expect(error.cause?.code == "13" && error.systemError == 13 && error.description == "notReadable: " + error.sentence)
    }

    @Test("a full disk is told without the name of the file that was being made", arguments: [SystemErrorCode.diskFull, .quotaFull])
    func full(code: SystemErrorCode) {
        let error = FileCacheError.writing(SystemError(code: code, context: "writing 4407 bytes to /o/.adding-1744f76e3645e188-held at 0"))
        #expect(error.code == .full && error.context == "\(code.message) in the objects folder; make room on its file system and try again")
    }
}
