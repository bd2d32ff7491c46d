//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import TestSupport
import Testing

@Suite("A full disk")
struct FullDiskTests {
    @Test("a full disk is an error of its own, harms no object, and adding goes on once there is room")
    func full() async throws { try await onOwnThread { try fillDisk() } }

    @Test("a writer that finds the disk full takes the room of what killed ones have left")
    func leftOvers() async throws {
        let leaving = "mkdir -m 700 \"$1/objects\" && head -c 1800000 /dev/zero > \"$1/objects/.adding-0000000000000001-held\" && "
        try await onOwnThread { try fillDisk(after: leaving) }
    }

    private func fillDisk(after commands: String = "") throws {
        let folder = try CacheFolder()
        let probe = OutsideCompiler.products.appending(path: "CacheProbe").path
        let script = "mount -t tmpfs -o size=2m tmpfs \"$1\" && \(commands)exec \"$2\" \"$1\""
        let answered = try ChildProgram(["unshare", "--mount", "sh", "-c", script, "sh", folder.path, probe]).runToEnd().output
        #expect(answered == "passed\n", "a private mount namespace is needed: run the tests as root")
    }
}
