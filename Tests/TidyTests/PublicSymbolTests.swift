//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import TestSupport
import Testing

/// What the library products offer is written down, so that nothing becomes public, or stops being so, unseen.
@Suite("Public symbols")
struct PublicSymbolTests {
    /// What users have to know, and what cannot change without breaking them, grows by a decision: whoever adds more says here that it is
    /// worth it.
    private static let mostLines = 818

    @Test("are together not more than was decided")
    func lineCount() throws {
        let folder = CheckoutFolder.file("Protocol/symbols")
        let texts = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        let lineCount = try texts.reduce(0) { try $0 + String(contentsOf: $1, encoding: .utf8).split(separator: "\n").count }
        #expect(texts.count >= 7 && lineCount <= Self.mostLines, "\(lineCount) lines")
    }

    @Test("are those of Protocol/symbols, for each module that a library product brings", .timeLimit(.minutes(5)))
    func current() async throws {
        let products = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let script = CheckoutFolder.file("Scripts/symbols").path
        let (status, output) = try await runToEnd([script, "--check", "--products", products.path])
        #expect(status == 0, "\(output)")
    }
}
