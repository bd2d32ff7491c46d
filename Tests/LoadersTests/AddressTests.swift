//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FeedSettings
import Model
import Testing
import WorkerKit

@testable import Loaders

@Suite("Forbidden addresses", .timeLimit(.minutes(1)))
struct AddressTests {
    @Test(
        "loopback, private and special addresses are not public",
        arguments: [
            "127.0.0.1", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
            "255.255.255.255", "::1", "::", "fe80::1", "fc00::1", "::ffff:127.0.0.1", "::ffff:7f00:1", "64:ff9b::7f00:1", "2002:7f00:1::",
            "2001:db8::1",
        ])
    func notPublic(text: String) throws {
        #expect(try #require(IPAddress(text)).isPublic == false)
    }

    @Test("public addresses are", arguments: ["1.1.1.1", "172.32.0.1", "2606:4700:4700::1111", "::ffff:1.1.1.1"])
    func isPublic(text: String) throws {
        #expect(try #require(IPAddress(text)).isPublic)
    }

    @Test(
        "other spellings are no addresses",
        arguments: ["127.1", "0177.0.0.1", "1.2.3", "1:2", "::1::", "fe80::1%eth0", "localhost", "1.2.3.256"])
    func noAddress(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test("an address that is not allowed is refused before it is connected to, also behind a name or a redirect")
    func forbidden() async throws {
        let hidden = try await SocketServer(["/x": SocketServer.ok("[]")])
        let server = try await SocketServer(["/away": SocketServer.redirect("http://127.0.0.1:\(hidden.port)/x")])
        let bench = try LoaderBench()
        let redirected = await bench.failure(bench.http(server.port), try bench.work(.load, .at(server.port, "/away")))
        #expect(redirected?.code == .forbiddenAddress)
        #expect(redirected?.text.contains("127.0.0.1:\(hidden.port)") == true)
        let named = HTTPLoader(cache: bench.cache, policy: .local(server.port)) { _, _ in ["127.0.0.1"] }
        let settings = LoaderSettings.at(hidden.port, "/x") {
            $0.source = URLTemplate("http://data.example:\(hidden.port)/x").map { HTTPSource(url: $0, items: .at("")) }
        }
        #expect(await bench.failure(named, try bench.work(.load, settings))?.code == .forbiddenAddress)
        let file = LoaderSettings.at(1, "") { $0.source = URLTemplate("file:///etc/passwd").map { HTTPSource(url: $0, items: .at("")) } }
        #expect(await bench.failure(named, try bench.work(.load, file))?.code == .forbiddenAddress)
    }

    @Test("a name is connected to at the address that was checked")
    func pinned() async throws {
        let server = try await SocketServer(["/x": SocketServer.ok("[]")])
        let bench = try LoaderBench()
        let loader = HTTPLoader(cache: bench.cache, policy: .local(server.port)) { _, _ in ["127.0.0.1"] }
        let settings = LoaderSettings.at(server.port, "/x") {
            $0.source = URLTemplate("http://data.example:\(server.port)/x").map { HTTPSource(url: $0, items: .at("")) }
        }
        let result = try await bench.run(loader, try bench.work(.load, settings))
        #expect(result.content?.itemCount == 0)
        #expect(await server.nextRequest()?.lowercased().contains("host: data.example") == true)
    }
}
