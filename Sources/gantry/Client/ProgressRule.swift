//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Which lines about work under way are printed: a person at a terminal sees each, a file or a pipe gets changes of the state and, between
/// them, progress now and then.
struct ProgressRule {
    /// How long a line of mere progress waits after the line before it, where nobody looks on.
    static let pause: Duration = .seconds(10)

    private let isTerminal: Bool
    private var line: String?
    private var state: String?
    private var shownAt = Duration.zero

    init(isTerminal: Bool) { self.isTerminal = isTerminal }

    /// Whether to print a line.
    /// - Parameters:
    ///   - state: what the line says without its progress.
    ///   - now: any clock that only goes on.
    mutating func shows(_ line: String, state: String, at now: Duration) -> Bool {
        guard line != self.line else { return false }
        guard isTerminal || state != self.state || now - shownAt >= Self.pause else { return false }
        (self.line, self.state, shownAt) = (line, state, now)
        return true
    }
}
