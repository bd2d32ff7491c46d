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
