//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Testing

@testable import GantryModel

/// Addresses of sockets as they are written.
@Suite("Socket addresses")
struct SocketAddressTests {
    @Test("each transport is read into its parts")
    func parts() {
        #expect(SocketAddress("ipc:///run/gantry/front") == .ipc(path: "/run/gantry/front"))
        #expect(SocketAddress("ipc:///run/gantry/front")?.path == "/run/gantry/front")
        #expect(SocketAddress("inproc://front") == .inproc(name: "front"))
        #expect(SocketAddress("tcp://127.0.0.1:7701") == .tcp(HostAndPort(host: "127.0.0.1", port: 7_701)))
        #expect(SocketAddress("tcp://[::1]:0") == .tcp(HostAndPort(host: "::1", port: 0)))
        #expect(SocketAddress("tcp://localhost:*") == .tcp(HostAndPort(host: "localhost", port: nil)))
        #expect(SocketAddress("tcp://127.0.0.1:7701")?.path == nil)
    }

    @Test(
        "what is no address is none",
        arguments: [
            "", "front", "ipc://", "ipc://front", "ipc:///", "inproc://", "tcp://", "tcp://:7701", "tcp://127.0.0.1", "tcp://127.0.0.1:",
            "tcp://127.0.0.1:+1", "tcp://127.0.0.1:65536", "tcp://127.0.0.1:port", "TCP://127.0.0.1:1", "http://127.0.0.1:1",
            "tcp://::1:80", "tcp://a b:1", "tcp://x@127.0.0.1:1",
        ])
    func malformed(text: String) { #expect(SocketAddress(text) == nil) }

    @Test("only what stays on the machine is local; only TCP is open to everybody on it")
    func reach() throws {
        for text in ["ipc:///front", "inproc://front", "tcp://127.0.0.1:1", "tcp://127.255.0.9:*", "tcp://localhost:1", "tcp://[::1]:1"] {
            let address = try #require(SocketAddress(text))
            #expect(address.isLocal, "\(text)")
            #expect(address.isTCP == text.hasPrefix("tcp"), "\(text)")
        }
        for text in [
            "tcp://10.0.0.1:1", "tcp://127.0.0.1.example:1", "tcp://127.0.0:1", "tcp://127.0.0.256:1", "tcp://127.0.0.+1:1", "tcp://*:1",
        ] {
            #expect(SocketAddress(text)?.isLocal == false, "\(text)")
        }
    }

    @Test("people may leave the transport out, but neither host nor port")
    func written() {
        #expect(SocketAddress.written("localhost:7701") == "tcp://localhost:7701")
        #expect(SocketAddress.written("[::1]:7701") == "tcp://[::1]:7701")
        for text in [
            "", ":7701", "localhost", "localhost:", "localhost:*", "localhost:+1", "localhost:70000", "tcp://localhost:7701",
            "ipc:///a:7701", "./localhost:7701", "/localhost:7701",
        ] {
            #expect(SocketAddress.written(text) == text)
        }
    }
}
