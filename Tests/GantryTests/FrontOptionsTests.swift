//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Client
import Testing

@testable import gantry

@Suite("Options of commands that ask a front")
struct FrontOptionsTests {
    @Test("a front is waited for as long as --timeout says, and for its own time without it")
    func timeout() throws {
        let options = try FrontOptions.parse(["--timeout", "60s"]).clientOptions("x", role: "observe", heals: true)
        #expect(options.connectTimeout == .seconds(60) && options.requestTimeout == .seconds(60))
        let short = try FrontOptions.parse(["--timeout", "300ms"]).clientOptions("x", role: "observe", heals: true)
        #expect(short.connectTimeout == .milliseconds(300))
        let own = try FrontOptions.parse([]).clientOptions("x", role: "observe", heals: true)
        #expect(own.connectTimeout == ClientOptions().connectTimeout)
    }
}
