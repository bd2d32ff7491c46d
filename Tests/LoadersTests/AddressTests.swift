//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryFeedSettings
import GantryModel
import GantryWorker
import Testing

@testable import Loaders

@Suite("Forbidden addresses", .timeLimit(.minutes(5)))
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
        // To allow it would not help: the next load would be refused with this advice.
        #expect(redirected?.text.contains("configure that address itself") == true && redirected?.text.contains("http.allow") == false)
        let named = HTTPLoader(cache: bench.cache, policy: .local(server.port)) { _, _ in ["127.0.0.1"] }
        let settings = LoaderSettings.at(hidden.port, "/x") {
            $0.source = URLTemplate("http://data.example:\(hidden.port)/x").map { .http(HTTPSource(url: $0, items: .at(""))) }
        }
        #expect(await bench.failure(named, try bench.work(.load, settings))?.code == .forbiddenAddress)
        let file = LoaderSettings.at(1, "") {
            $0.source = URLTemplate("file:///etc/passwd").map { .http(HTTPSource(url: $0, items: .at(""))) }
        }
        #expect(await bench.failure(named, try bench.work(.load, file))?.code == .forbiddenAddress)
    }

    @Test(
        "a redirect reaches a private address only where the configured one is private and the same host and port, whatever other feeds may ask"
    )
    func redirectsInside() async throws {
        let admin = try await SocketServer(["/x": SocketServer.ok("[]")])
        let server = try await SocketServer([
            "/away": SocketServer.redirect("http://127.0.0.1:\(admin.port)/x"), "/here": SocketServer.redirect("/x"),
            "/x": SocketServer.ok("[]"),
        ])
        let bench = try LoaderBench()
        let both = HTTPPolicy(allow: [admin.port, server.port].compactMap { AllowedAddress("127.0.0.1:\($0)") })
        let loader = HTTPLoader(cache: bench.cache, policy: both)
        let away = await bench.failure(loader, try bench.work(.load, .at(server.port, "/away")))
        #expect(away?.code == .forbiddenAddress)
        #expect(away?.text.contains("redirects to http://127.0.0.1:\(admin.port)/x, a loopback or private address") == true)
        #expect(try await bench.run(loader, try bench.work(.load, .at(server.port, "/here"))).content?.itemCount == 0)
    }

    @Test("a public address leads to no private one, not even under its own name; private to public and public to public are free")
    func mayFollow() throws {
        let configured = try HTTPTarget("http://data.example/list")
        let same = try HTTPTarget("http://DATA.example:80/other")
        let other = try HTTPTarget("http://other.example/")
        #expect(!same.mayFollow(configured, at: "93.184.216.34", to: "10.0.0.1"))
        #expect(same.mayFollow(configured, at: "10.0.0.1", to: "10.0.0.1"))
        #expect(!other.mayFollow(configured, at: "10.0.0.1", to: "10.0.0.1"))
        #expect(other.mayFollow(configured, at: "10.0.0.1", to: "93.184.216.34"))
        #expect(other.mayFollow(configured, at: "93.184.216.34", to: "1.1.1.1"))
    }

    @Test("a parameter that would lead to another path is refused before anything is asked")
    func dots() async throws {
        let server = try await SocketServer(["/x.json": SocketServer.ok("[]")])
        let bench = try LoaderBench()
        let work = try bench.work(.load, .at(server.port, "/a/{p}/x.json"), key: "dots?p=..")
        let failure = await bench.failure(bench.http(server.port), work)
        #expect(failure?.code == .invalidData)
        #expect(failure?.text.contains("choose another value") == true)
    }

    @Test("a name is connected to at the address that was checked")
    func pinned() async throws {
        let server = try await SocketServer(["/x": SocketServer.ok("[]")])
        let bench = try LoaderBench()
        let loader = HTTPLoader(cache: bench.cache, policy: .local(server.port)) { _, _ in ["127.0.0.1"] }
        let settings = LoaderSettings.at(server.port, "/x") {
            $0.source = URLTemplate("http://data.example:\(server.port)/x").map { .http(HTTPSource(url: $0, items: .at(""))) }
        }
        let result = try await bench.run(loader, try bench.work(.load, settings))
        #expect(result.content?.itemCount == 0)
        #expect(await server.nextRequest()?.lowercased().contains("host: data.example") == true)
    }

    /// A list at a name that `policy` allows at a port.
    private func named(_ port: Int) throws -> (policy: HTTPPolicy, settings: LoaderSettings) {
        let allowed = try #require(AllowedAddress("data.example:\(port)"))
        let settings = LoaderSettings.at(port, "/x") {
            $0.source = URLTemplate("http://data.example:\(port)/x").map { .http(HTTPSource(url: $0, items: .at(""))) }
            // A busy machine may take long to connect, and each address has a part of this.
            ($0.http.connectTimeout, $0.http.totalTimeout) = (.seconds(120), .seconds(600))
        }
        var policy = HTTPPolicy(allow: [allowed])
        (policy.limits.connectTimeout, policy.limits.totalTimeout) = (.seconds(120), .seconds(600))
        return (policy, settings)
    }

    @Test(
        "each address gets an equal part of the connect time-out, but time for a slow handshake while it lasts",
        arguments: [(5.0, 1, 5.0), (5, 2, 2.5), (5, 8, 2), (3, 7, 2), (1, 6, 1), (0, 5, 0)])
    func shares(left: Double, count: Int, seconds: Double) {
        #expect(HTTPTransfer.connectTime(of: .seconds(left), for: count) == .seconds(seconds))
    }

    @Test("a name whose first address does not answer is loaded from its next one")
    func nextAddress() async throws {
        let server = try await SocketServer(["/x": SocketServer.ok("[]")])
        let bench = try LoaderBench()
        let (policy, settings) = try named(server.port)
        let loader = HTTPLoader(cache: bench.cache, policy: policy) { _, _ in ["127.0.0.2", "127.0.0.3", "127.0.0.1"] }
        #expect(try await bench.run(loader, try bench.work(.load, settings)).content?.itemCount == 0)
    }

    @Test("an address that may not be asked is left out, whatever else the name stands for; a name that stands only for such is refused")
    func permitted() async throws {
        let server = try await SocketServer(["/x": SocketServer.ok("[]")])
        let bench = try LoaderBench()
        let settings = try named(server.port).settings
        let first = HTTPLoader(cache: bench.cache, policy: .local(server.port)) { _, _ in ["127.0.0.2", "127.0.0.1"] }
        #expect(try await bench.run(first, try bench.work(.load, settings)).content?.itemCount == 0)
        let none = HTTPLoader(cache: bench.cache, policy: .local(server.port)) { _, _ in ["127.0.0.2", "127.0.0.3"] }
        #expect(await bench.failure(none, try bench.work(.load, settings))?.code == .forbiddenAddress)
    }

    @Test("when no address answers the load fails as unreachable, and a status of the first that answers counts: the next is not asked")
    func noAddress() async throws {
        let server = try await SocketServer(["/y": SocketServer.ok("[]")])
        let bench = try LoaderBench()
        let (policy, settings) = try named(server.port)
        let away = HTTPLoader(cache: bench.cache, policy: policy) { _, _ in ["127.0.0.2", "127.0.0.3"] }
        let failure = await bench.failure(away, try bench.work(.load, settings))
        #expect(failure?.code == .unreachable && failure?.retryable == true)
        let missing = HTTPLoader(cache: bench.cache, policy: policy) { _, _ in ["127.0.0.1", "127.0.0.2"] }
        #expect(await bench.failure(missing, try bench.work(.load, settings))?.code == .httpStatus)
    }
}
