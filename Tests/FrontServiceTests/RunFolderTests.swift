//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Testing

@testable import FrontService

@Suite("What a front leaves in its run folder")
struct RunFolderTests {
    private let folder = FileManager.default.temporaryDirectory.path + "/gantry-run-" + UUID().uuidString.prefix(8)

    private func endpoints(_ prefix: String) -> FrontEndpoints {
        FrontEndpoints(requests: prefix + "1", changes: prefix + "2", workers: prefix + "3", pages: prefix + "4")
    }

    private func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: "\(folder)/\(name)").map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("on TCP its address and a token of 256 random bits for this user alone, which stays over restarts")
    func tcp() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let run = RunFolder(folder)
        try run.prepare(endpoints("tcp://127.0.0.1:770"))
        let token = try #require(text("token"))
        #expect(try #/[0-9a-f]{64}\n/#.wholeMatch(in: token) != nil)
        #expect(try FileManager.default.attributesOfItem(atPath: folder + "/token")[.posixPermissions] as? Int == 0o600)
        #expect(try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? Int == 0o700)
        try run.prepare(endpoints("tcp://127.0.0.1:880"))
        #expect(text("token") == token && text("address") == "tcp://127.0.0.1:8801\n")
        try run.prepare(endpoints("ipc://\(folder)/"))
        #expect(text("token") == token && text("address") == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["token"])
    }

    @Test("sockets elsewhere get a folder of their own")
    func elsewhere() throws {
        defer { for path in [folder, folder + "-far"] { try? FileManager.default.removeItem(atPath: path) } }
        try RunFolder(folder).prepare(endpoints("ipc://\(folder)-far/"))
        #expect(try FileManager.default.attributesOfItem(atPath: folder + "-far")[.posixPermissions] as? Int == 0o700)
    }
}
