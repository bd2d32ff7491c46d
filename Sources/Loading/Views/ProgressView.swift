//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A bar: empty when the progress is unknown, else filled by percent.
public struct ProgressView: View {
    private static let cells = 10
    private let percent: Int?

    /// Creates a bar without a known progress.
    public init() {
        percent = nil
    }

    /// Creates a bar for a percentage, clamped to 0...100; absent is unknown.
    public init(percent: Int?) {
        self.percent = percent.map { min(max($0, 0), 100) }
    }

    /// Draws one line, for example `[████······]`.
    public func render(into canvas: inout Canvas) {
        canvas.write(bar)
    }

    var bar: String {
        let filled = (percent ?? 0) * Self.cells / 100
        return "[" + String(repeating: "█", count: filled) + String(repeating: "·", count: Self.cells - filled) + "]"
    }
}
