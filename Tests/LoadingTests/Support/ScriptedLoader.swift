//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Loading

/// A loader whose fetches end at once, with one outcome of a script after the other; the last one repeats.
@MainActor
final class ScriptedLoader: BaseLoadable<String> {
    let runs = Tally()
    private let script: [Result<String, any Error>]

    /// - Parameter script: "s" is a success, "f" a failure, "c" a cancellation; a success gives its number as text.
    init(_ script: String) {
        self.script = script.enumerated().map { index, letter in
            switch letter {
            case "s": .success("\(index + 1)")
            case "c": .failure(CancellationError())
            default: .failure(Flaw.broken)
            }
        }
        super.init()
    }

    override func fetch() async throws -> String {
        defer { runs.add() }
        return try script[min(runs.count, script.count - 1)].get()
    }
}
