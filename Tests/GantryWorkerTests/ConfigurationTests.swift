//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import TestSupport
import Testing

@testable import GantryWorker

@Suite("A worker's configuration by the front's data folder")
struct ConfigurationTests {
    @Test("of a front on sockets it has the endpoint for workers and no token")
    func sockets() throws {
        let configuration = try WorkerConfiguration(ofFront: "/srv/gantry/./data/", name: "w", slots: 2, prefetch: 3)
        var expected = WorkerConfiguration(endpoint: "ipc:///srv/gantry/data/run/workers", name: "w", slots: 2, prefetch: 3)
        #expect(configuration == expected)
        let home = try #require(ProcessInfo.processInfo.environment["HOME"])
        expected = WorkerConfiguration(endpoint: "ipc://\(home)/data/run/workers", name: "w", slots: 2, prefetch: 3)
        #expect(try WorkerConfiguration(ofFront: "~/data", name: "w", slots: 2, prefetch: 3) == expected)
    }

    @Test("of a front on TCP it has the address that follows that of requests, and the token")
    func loopback() throws {
        let folder = try TemporaryFolder()
        let run = folder.path + "/run"
        try FileManager.default.createDirectory(atPath: run, withIntermediateDirectories: false)
        try "tcp://127.0.0.1:7801".write(toFile: run + "/address", atomically: true, encoding: .utf8)
        try "secret".write(toFile: run + "/token", atomically: true, encoding: .utf8)
        let configuration = try WorkerConfiguration(ofFront: folder.path, name: "w")
        #expect(configuration.endpoint == "tcp://127.0.0.1:7803")
        #expect(configuration.token == Array("secret".utf8))
    }

    @Test("the grace is 30 s unless said otherwise, and none to a day")
    func grace() {
        var configuration = WorkerConfiguration(endpoint: "ipc:///srv/gantry/data/run/workers", name: "w")
        #expect(configuration.usedGrace == .seconds(30))
        for (given, used) in [(-1, 0), (0, 0), (90, 90), (86_400, 86_400), (86_401, 86_400)] {
            configuration.grace = .seconds(given)
            #expect(configuration.usedGrace == .seconds(used))
        }
    }

    @Test("no folder is refused with the next step")
    func none() throws {
        let error = try #require(throws: WorkerError.self) { try WorkerConfiguration(ofFront: "", name: "w") }
        #expect(error.code == .badFolder && error.nextStep == "give that folder")
    }
}
