//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation

/// A program of this package that was built with optimization, beside the tests: what is counted or takes long.
package enum OptimizedProgram {
    /// How a program ended and what it printed.
    package struct Ending: Sendable {
        /// Its exit code.
        package let status: Int32
        /// Its standard output.
        package let output: String
    }

    /// It is not there; `deploy/test` builds it.
    package struct Missing: Error, CustomStringConvertible {
        /// Its name.
        package let name: String
        /// What to do.
        package var description: String { "no optimized \(name): swift build -c release --static-swift-stdlib --product \(name)" }
    }

    /// Runs a program to its end without holding a thread that tests run on.
    ///
    /// - Throws: `Missing`, or what starting a process throws.
    package static func run(_ name: String, _ arguments: [String]) async throws -> Ending {
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let place = own.deletingLastPathComponent().appendingPathComponent("release/\(name)")
        guard FileManager.default.isExecutableFile(atPath: place.path) else { throw Missing(name: name) }
        // Such a program keeps every core busy, and nothing in it waits for real time: tests of real processes go first.
        let (status, output) = try await onOwnThread { try ChildProgram(["nice", "-n", "19", place.path] + arguments).runToEnd() }
        return Ending(status: status, output: output)
    }
}

/// Runs a command that is found as a shell finds it to its end, without holding a thread that tests run on.
/// - Returns: its exit code, and what it printed on both outputs.
package func runToEnd(_ command: [String]) async throws -> (status: Int32, output: String) {
    try await onOwnThread { try ChildProgram(command, takesErrors: true).runToEnd() }
}

/// The mistake of `Scripts/mutate` that this process was started with.
package enum ActiveMutant {
    /// What a process that a test starts needs in its environment, so that it makes the same mistake; empty: none is injected.
    package static var environment: [String: String] {
        ProcessInfo.processInfo.environment.filter { $0.key == "GANTRY_MUTANT" }
    }
}
