//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantrySettings
import TestSupport
import Testing

@Suite struct PlaceTests {
    private func environment(_ variables: [String: String] = [:]) -> Environment {
        Environment(variables: variables, home: "/users/ada", workingFolder: "/here")
    }

    private func endpoints(_ connect: String?, _ data: DataFolder, _ variables: [String: String] = [:]) throws -> Endpoints {
        try ConnectionTarget.find(connect: connect, data: data, environment: environment(variables)).endpoints
    }

    @Test("the data folder: flag over environment over file over default")
    func dataFolder() throws {
        let all = environment(["GANTRY_DATA": "env", "XDG_STATE_HOME": "/state"])
        #expect(
            try DataFolder(flag: "~/flag", file: "f", fileFolder: "/etc", environment: all) == .init(path: "/users/ada/flag", origin: .flag)
        )
        #expect(
            try DataFolder(flag: nil, file: "f", fileFolder: "/etc", environment: all) == .init(path: "/here/env", origin: .environment))
        #expect(
            try DataFolder(flag: nil, file: "f", fileFolder: "/etc", environment: environment()) == .init(path: "/etc/f", origin: .file))
        #expect(
            try DataFolder(flag: nil, file: nil, fileFolder: nil, environment: environment())
                == .init(path: "/users/ada/.local/state/gantry", origin: .builtIn))
        #expect(
            try DataFolder(flag: nil, file: nil, fileFolder: nil, environment: environment(["XDG_STATE_HOME": "/state"])).path
                == "/state/gantry")
    }

    @Test(
        "a flag that is empty comes of a variable that is not set: it is refused with the next step, and does not mean the working folder")
    func emptyFlags() {
        let with = environment(["GANTRY_DATA": "/env"])
        func refusal(_ look: () throws -> Void) -> ConfigurationError? { #expect(throws: ConfigurationError.self) { try look() } }
        for error in [
            refusal { _ = try EffectiveConfiguration.load(flags: .init(data: ""), environment: with) },
            refusal { _ = try FrontPlace.find(data: "", environment: with) },
            refusal { _ = try FrontPlace.find(connect: "/x", data: "", environment: with) },
        ] {
            #expect(error?.description == "--data is empty" && error?.nextStep == "give a folder with --data, or leave it out")
        }
        for error in [
            refusal { _ = try EffectiveConfiguration.load(flags: .init(config: ""), environment: with) },
            refusal { _ = try FrontPlace.find(config: "", environment: with) },
        ] {
            #expect(error?.description == "--config is empty" && error?.nextStep == "give a file with --config, or leave it out")
        }
        #expect(refusal { _ = try FrontPlace.find(connect: "", environment: with) }?.description == "--connect is empty")
    }

    @Test("sockets are in the data folder, or when its path is too long in XDG_RUNTIME_DIR, which is said")
    func sockets() throws {
        let short = DataFolder(path: "/d", origin: .flag)
        #expect(try Endpoints.ipc(short, environment: environment()).requests == "ipc:///d/run/requests")
        let long = DataFolder(path: "/" + String(repeating: "d", count: 90), origin: .flag)
        #expect(throws: ConfigurationError.self) { try Endpoints.ipc(long, environment: environment()) }
        let moved = try Endpoints.ipc(long, environment: environment(["XDG_RUNTIME_DIR": "/run/user/1"]))
        #expect(moved.requests.hasPrefix("ipc:///run/user/1/gantry-") && moved.notice != nil)
        #expect(moved.all.allSatisfy { $0.utf8.count - 6 <= 100 })
        let exact = DataFolder(path: "/" + String(repeating: "d", count: 100 - 13 - 1), origin: .flag)
        #expect(try Endpoints.ipc(exact, environment: environment()).notice == nil)
    }

    @Test("a target is a data folder or an address of this machine")
    func targets() throws {
        let data = DataFolder(path: "/d", origin: .environment)
        let with = ["GANTRY_URL": "tcp://127.0.0.1:9000"]
        #expect(try endpoints(nil, data, with).pages == "tcp://127.0.0.1:9003")
        #expect(try endpoints("/x", data, with).changes == "ipc:///x/run/changes")
        #expect(try endpoints(nil, data).folder == "/d/run")
        for wrong in [
            "", "garbage", "tcp://127.0.0.1:garbage", "tcp://10.0.0.1:7701", "http://127.0.0.1:1", "tcp://127.0.0.1", "tcp://0.0.0.0:7701",
        ] {
            #expect(throws: ConfigurationError.self) {
                try endpoints(wrong, data)
            }
        }
    }

    @Test("a front on TCP is found by its data folder, as long as its file says where")
    func address() throws {
        let temporary = try TemporaryFolder()
        let folder = temporary.path
        try FileManager.default.createDirectory(atPath: folder + "/run", withIntermediateDirectories: false)
        let data = DataFolder(path: folder, origin: .flag)
        func requests() throws -> String { try endpoints(nil, data).requests }
        #expect(try requests() == "ipc://\(folder)/run/requests")
        try "tcp://127.0.0.1:9001\n".write(toFile: folder + "/run/address", atomically: true, encoding: .utf8)
        #expect(try requests() == "tcp://127.0.0.1:9001")
        #expect(try endpoints(folder, data).pages == "tcp://127.0.0.1:9004")
        for other in ["tcp://192.168.0.1:9001", "nothing"] {
            try other.write(toFile: folder + "/run/address", atomically: true, encoding: .utf8)
            #expect(try requests() == "ipc://\(folder)/run/requests")
        }
    }

    @Test("a named file must exist, others are looked for, and none means the sample")
    func files() throws {
        let temporary = try TemporaryFolder()
        let folder = temporary.path
        try FileManager.default.createDirectory(atPath: folder + "/home", withIntermediateDirectories: false)
        let here = Environment(variables: [:], home: folder + "/home", workingFolder: folder)
        let sample = try EffectiveConfiguration.load(flags: .init(), environment: here)
        #expect(sample.file == nil && sample.notices.count == 1)
        #expect(sample.configuration.feeds.count == 3)
        let missing = #expect(throws: ConfigurationError.self) {
            try EffectiveConfiguration.load(flags: .init(config: "no.yaml"), environment: here)
        }
        #expect(missing?.path == folder + "/no.yaml")
        try "version: 1\ndata: state\nfeedz: {}".write(toFile: folder + "/gantry.yaml", atomically: true, encoding: .utf8)
        let wrong = #expect(throws: ConfigurationError.self) { try EffectiveConfiguration.load(flags: .init(), environment: here) }
        #expect(wrong?.description.hasPrefix(folder + "/gantry.yaml:3: ") == true)
        try "version: 1\ndata: state".write(toFile: folder + "/gantry.yaml", atomically: true, encoding: .utf8)
        #expect(try EffectiveConfiguration.load(flags: .init(), environment: here).data.path == folder + "/state")
    }

    @Test(
        "the sample origin is needed where a feed loads from its address, not where a comment or another port has its digits",
        arguments: [
            ("http://127.0.0.1:7711/x", nil, true), ("http://LocalHost:7711/x", nil, true), ("http://127.0.0.1:7712/x?y=:7711", nil, false),
            ("http://example.com/x", "http://127.0.0.1:7711/{id}", true), ("http://example.com/127.0.0.1:7711", nil, false),
        ])
    func sampleOrigin(url: String, detail: String?, isNamed: Bool) throws {
        let text = """
            version: 1 # 127.0.0.1:7711
            feeds:
              a:
                source: { http: { url: "\(url)", items: "" } }
                item: { id: /id, title: /t }
            """
        let read = ConfigurationText(file: "/f.yaml", text: text + (detail.map { "\n    detail: \"\($0)\"" } ?? ""))
        var flags = EffectiveConfiguration.Flags(data: "/d")
        flags.read = read
        #expect(try EffectiveConfiguration.load(flags: flags, environment: environment()).namesSampleOrigin == isNamed)
    }

    @Test("who names another machine is told that, not that the text names nothing")
    func otherMachine() throws {
        let data = DataFolder(path: "/d", origin: .environment)
        let error = try #require(
            throws: ConfigurationError.self,
            performing: { try endpoints("tcp://10.0.0.1:7701", data) })
        #expect("\(error)" == "\"tcp://10.0.0.1:7701\" is another machine; Gantry connects to this one only: use tcp://127.0.0.1:PORT")
    }
}
