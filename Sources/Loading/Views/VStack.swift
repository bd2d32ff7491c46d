//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Views under each other.
public struct VStack: View {
    private let content: ViewGroup

    /// Creates a stack.
    public init(@ViewBuilder content: () -> ViewGroup) {
        self.content = content()
    }

    /// Draws the views from top to bottom.
    public func render(into canvas: inout Canvas) {
        content.render(into: &canvas)
    }
}
