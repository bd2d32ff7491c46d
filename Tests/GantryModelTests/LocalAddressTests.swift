//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@Suite("Addresses of this machine")
struct LocalAddressTests {
    @Test(
        "sockets of this machine may be used",
        arguments: [
            "ipc:///tmp/x", "inproc://zap", "tcp://127.0.0.1:7701", "tcp://127.255.255.254:1", "tcp://[::1]:65535", "tcp://localhost:7701",
            "tcp://127.0.0.1:*", "tcp://127.0.0.1:0",
        ])
    func allowed(address: String) { #expect(LocalAddress.refusal(of: address) == nil) }

    @Test(
        "everything else is refused: other machines, names that begin like a loopback address, and what is no address",
        arguments: [
            "tcp://*:7701", "tcp://0.0.0.0:7701", "tcp://192.168.0.1:1", "tcp://127.evil.example:1", "tcp://127.0.0.1.evil.example:1",
            "tcp://127.0.0:1", "tcp://127.0.0.256:1", "tcp://127.0.0.+1:1", "tcp://localhost.evil.example:1", "tcp://127.0.0.1",
            "tcp://127.0.0.1:", "tcp://127.0.0.1:65536", "tcp://127.0.0.1:+1", "tcp://:1", "tcp://", "ipc://", "ipc://relative",
            "inproc://",
            "http://127.0.0.1:1", "garbage", "",
        ])
    func refused(address: String) throws {
        let reason = try #require(LocalAddress.refusal(of: address))
        #expect(reason.contains("\"\(address)\"") && reason.contains("127.0.0.1"))
    }
}
