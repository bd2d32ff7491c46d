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

    @Test("the address of a front on TCP, and nothing for one on sockets")
    func address() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let run = RunFolder(folder)
        try run.prepare(endpoints("tcp://127.0.0.1:770"))
        #expect(try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? Int == 0o700)
        try run.prepare(endpoints("tcp://127.0.0.1:880"))
        #expect(text("address") == "tcp://127.0.0.1:8801\n")
        try run.prepare(endpoints("ipc://\(folder)/"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }

    @Test("a token of 256 random bits for this user alone, the same for all who ask at once, and over restarts")
    func token() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let folder = folder
        let tokens = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<32 { group.addTask { try RunToken.ensure(in: folder) } }
            return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
        }
        let token = try #require(tokens.first)
        #expect(tokens.count == 1 && token.count == 64 && text("run/token") == String(decoding: token, as: UTF8.self))
        #expect(try FileManager.default.attributesOfItem(atPath: folder + "/run/token")[.posixPermissions] as? Int == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/run") == ["token"])
        #expect(try RunToken.ensure(in: folder) == token)
    }

    @Test("sockets elsewhere get a folder of their own")
    func elsewhere() throws {
        defer { for path in [folder, folder + "-far"] { try? FileManager.default.removeItem(atPath: path) } }
        try RunFolder(folder).prepare(endpoints("ipc://\(folder)-far/"))
        #expect(try FileManager.default.attributesOfItem(atPath: folder + "-far")[.posixPermissions] as? Int == 0o700)
    }
}
