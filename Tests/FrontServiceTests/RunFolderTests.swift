//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryModel
import GantryPlatform
import TestSupport
import Testing

@testable import FrontService

@Suite("What a front leaves in its run folder", .timeLimit(.minutes(5)))
struct RunFolderTests {
    private let temporary: TemporaryFolder
    /// Not yet there.
    private var folder: String { temporary.path + "/data" }

    init() throws { temporary = try TemporaryFolder() }

    private func endpoints(_ prefix: String) -> FrontEndpoints {
        FrontEndpoints(requests: prefix + "1", changes: prefix + "2", workers: prefix + "3", pages: prefix + "4")
    }

    private func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: "\(folder)/\(name)").map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("the address of a front on TCP, and nothing for one on sockets")
    func address() throws {
        let run = RunFolder(folder)
        try run.prepare(endpoints("tcp://127.0.0.1:770"))
        try run.note(endpoints("tcp://127.0.0.1:770"))
        #expect(try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? Int == 0o700)
        try run.note(endpoints("tcp://127.0.0.1:880"))
        #expect(text("address") == "tcp://127.0.0.1:8801\n")
        try run.prepare(endpoints("ipc://\(folder)/"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }

    @Test("an address that stands there is not written again, for the disk may be full; what else has its place is replaced")
    func sameAddress() throws {
        func file() throws -> NSNumber? {
            try FileManager.default.attributesOfItem(atPath: folder + "/address")[.systemFileNumber] as? NSNumber
        }
        let run = RunFolder(folder)
        try run.note(endpoints("tcp://127.0.0.1:770"))
        let first = try file()
        try run.note(endpoints("tcp://127.0.0.1:770"))
        #expect(try file() == first)
        for stranger in ["", "tcp://127.0.0.1:7701", "tcp://127.0.0.1:7701\nmore"] {
            try stranger.write(toFile: folder + "/address", atomically: false, encoding: .utf8)
            try run.note(endpoints("tcp://127.0.0.1:770"))
            #expect(text("address") == "tcp://127.0.0.1:7701\n")
        }
    }

    @Test("what the front was started with, in a file of a name that no configuration has; what cannot be noted leaves nothing behind")
    func startedWith() throws {
        let run = RunFolder(folder)
        for answered in ["one", "another"] {
            try run.note(startedWith: answered)
            #expect(text("started-with.json") == answered)
        }
        try FileManager.default.removeItem(atPath: folder + "/started-with.json")
        try FileManager.default.createDirectory(atPath: folder + "/started-with.json/x", withIntermediateDirectories: true)
        #expect(throws: SystemError.self) { try run.note(startedWith: "third") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["started-with.json"])
    }

    @Test("a token of 256 random bits for this user alone, the same for all who ask at once, and over restarts")
    func token() async throws {
        let folder = folder
        let tokens = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<32 { group.addTask { try RunToken.ensure(in: folder).bytes } }
            return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
        }
        let token = try #require(tokens.first)
        #expect(tokens.count == 1 && token.count == 64 && text("run/token") == String(decoding: token, as: UTF8.self))
        #expect(try FileManager.default.attributesOfItem(atPath: folder + "/run/token")[.posixPermissions] as? Int == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/run") == ["token"])
        let again = try RunToken.ensure(in: folder)
        #expect(again.bytes == token && again.shared.admits(token) && !again.shared.admits([]))
    }

    @Test(
        "what could be no token is refused with its path, be it empty, short, long or made of other digits: none would let everybody in",
        arguments: ["", "a", "\n", digits.dropLast() + "", digits + "\n", digits + "0", digits.dropLast() + "g", digits.uppercased()])
    func noToken(content: String) throws {
        try FileManager.default.createDirectory(atPath: folder + "/run", withIntermediateDirectories: true)
        try content.write(toFile: folder + "/run/token", atomically: false, encoding: .utf8)
        let error = #expect(throws: FrontServiceError.self) { try RunToken.ensure(in: folder) }
        #expect(
            error?.code == .token && error?.context.hasPrefix("\(folder)/run/token is no token") == true, "\(String(describing: error))")
        #expect(text("run/token") == content)
    }

    private static let digits = String(repeating: "0123456789abcdef", count: 4)

    @Test("a pipe, a folder or a link in the place of the token is refused at once")
    func noFile() throws {
        let path = folder + "/run/token"
        try FileManager.default.createDirectory(atPath: folder + "/run", withIntermediateDirectories: true)
        try Self.digits.write(toFile: folder + "/run/other", atomically: false, encoding: .utf8)
        let makers: [() throws -> Void] = [
            {
                let maker = try SpawnRequest(executable: "/usr/bin/mkfifo", arguments: [path]).spawn()
                while try !ProcessControl.exitDescriptor(of: maker).waitReadable(upTo: .seconds(60)) {}
                #expect(try ProcessControl.reap(maker) == .exited(code: 0))
            },
            { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) },
            { try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "other") },
        ]
        for make in makers {
            try make()
            #expect { try RunToken.ensure(in: folder) } throws: { ($0 as? FrontServiceError)?.code == .token }
            try FileManager.default.removeItem(atPath: path)
        }
        #expect(try RunToken.ensure(in: folder).bytes.count == 64)
    }

    @Test("sockets elsewhere get a folder of their own")
    func elsewhere() throws {
        try RunFolder(folder).prepare(endpoints("ipc://\(folder)-far/"))
        #expect(try FileManager.default.attributesOfItem(atPath: folder + "-far")[.posixPermissions] as? Int == 0o700)
    }
}
