//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Text on as many lines as it has; lines too long for the terminal are cut.
public struct Text: View {
    private let text: String

    /// Creates a text.
    public init(_ text: String) {
        self.text = text
    }

    /// Draws the text.
    public func render(into canvas: inout Canvas) {
        canvas.write(text)
    }
}

/// Something to press. In the terminal it has a number, counted from the top, which is its key: see ``ViewHost/press(_:)`` and
/// ``LiveRegion/press(_:)``.
public struct Button: View {
    private let title: String
    private let action: @MainActor () -> Void

    /// Creates a button.
    /// - Parameters:
    ///   - title: its text.
    ///   - action: what ``ViewHost/press(_:)`` runs.
    public init(_ title: String, action: @escaping @MainActor () -> Void) {
        self.title = title
        self.action = action
    }

    /// Draws one line, for example `[1] Retry`.
    public func render(into canvas: inout Canvas) {
        canvas.addButton(title, action: action)
    }
}

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
