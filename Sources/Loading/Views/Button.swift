//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Something to press. In the terminal it has a number, counted from the top, which is its key.
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
