//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import TestSupport
import Testing

@testable import GantrySettings

@Suite("Where a front is found")
struct FrontPlaceTests {
    private func environment(_ variables: [String: String] = [:], folder: String = "/w") -> GantrySettings.Environment {
        GantrySettings.Environment(variables: variables, home: "/h", workingFolder: folder)
    }

    @Test("what is said first counts, flags before the environment: --connect, --data, GANTRY_URL, GANTRY_DATA, the default folder")
    func order() throws {
        let all = ["GANTRY_URL": "/url", "GANTRY_DATA": "/data"]
        func requests(_ connect: String?, _ data: String?, _ variables: [String: String]) throws -> String {
            try FrontPlace.find(connect: connect, data: data, environment: environment(variables)).endpoints.requests
        }
        #expect(try requests("/connect", "/flag", all) == "ipc:///connect/run/requests")
        #expect(try requests(nil, "/flag", all) == "ipc:///flag/run/requests")
        #expect(try requests(nil, nil, all) == "ipc:///url/run/requests")
        #expect(try requests(nil, nil, ["GANTRY_DATA": "/data"]) == "ipc:///data/run/requests")
        #expect(try requests(nil, nil, [:]) == "ipc:///h/.local/state/gantry/run/requests")
        #expect(try requests(nil, nil, ["XDG_STATE_HOME": "/x"]) == "ipc:///x/gantry/run/requests")
    }

    @Test("a host and a port name a front as their address does, in a flag and in a variable; another machine's are refused")
    func hostAndPort() throws {
        let found = try FrontPlace.find(connect: "127.0.0.1:7701", data: "/d", environment: environment())
        #expect(found == (try FrontPlace.find(connect: "tcp://127.0.0.1:7701", data: "/d", environment: environment())))
        #expect(found.endpoints.requests == "tcp://127.0.0.1:7701" && found.tokenPath == "/d/run/token")
        let named = try FrontPlace.find(environment: environment(["GANTRY_URL": "[::1]:7701"]))
        #expect(named.endpoints.requests == "tcp://[::1]:7701")
        #expect(throws: ConfigurationError.self) { try FrontPlace.find(connect: "10.0.0.1:7701", environment: environment()) }
    }

    @Test("the file is read when nothing else says where, and only then")
    func file() throws {
        let temporary = try TemporaryFolder()
        let folder = temporary.path
        try Data("version: 1\ndata: here\n".utf8).write(to: URL(fileURLWithPath: folder + "/gantry.yaml"))
        let found = try FrontPlace.find(environment: environment(folder: folder))
        #expect(found.data == DataFolder(path: folder + "/here", origin: .file))
        try Data("version: 2\n".utf8).write(to: URL(fileURLWithPath: folder + "/gantry.yaml"))
        #expect(throws: ConfigurationError.self) { try FrontPlace.find(environment: environment(folder: folder)) }
        #expect(try FrontPlace.find(data: "/d", environment: environment(folder: folder)).data.path == "/d")
        // One that is named must be there, also where it would not be read.
        let named = environment(["GANTRY_DATA": "/data"], folder: folder)
        #expect(try FrontPlace.find(config: "gantry.yaml", environment: named).data.path == "/data")
        let missing = #expect(throws: ConfigurationError.self) { try FrontPlace.find(config: "no.yaml", environment: named) }
        #expect(missing?.path == folder + "/no.yaml")
    }

    @Test("over TCP the token lies in the data folder, over sockets of a folder there is none")
    func token() throws {
        #expect(try FrontPlace.find(connect: "tcp://127.0.0.1:7701", data: "/d", environment: environment()).tokenPath == "/d/run/token")
        #expect(try FrontPlace.find(data: "/d", environment: environment()).tokenPath == nil)
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path + "/run", withIntermediateDirectories: false)
        try "tcp://127.0.0.1:9001\n".write(toFile: folder.path + "/run/address", atomically: true, encoding: .utf8)
        let named = try FrontPlace.find(connect: folder.path, data: "/d", environment: environment())
        #expect(named.endpoints.requests == "tcp://127.0.0.1:9001" && named.tokenPath == folder.path + "/run/token")
    }
}
