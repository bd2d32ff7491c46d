//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import TestSupport
import Testing

/// What the library products offer is written down, so that nothing becomes public, or stops being so, unseen.
@Suite("Public symbols")
struct PublicSymbolTests {
    @Test("are those of Protocol/symbols, for each module that a library product brings", .timeLimit(.minutes(5)))
    func current() async throws {
        let products = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let script = CheckoutFolder.file("Scripts/symbols").path
        let (status, output) = try await runToEnd([script, "--check", "--products", products.path])
        #expect(status == 0, "\(output)")
    }
}
