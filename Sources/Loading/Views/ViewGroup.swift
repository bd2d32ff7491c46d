//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Views under each other, as a builder closure gives them.
public struct ViewGroup: View {
    private let children: [any View]

    init(_ children: [any View]) {
        self.children = children
    }

    /// Draws all views, each at a place of its own.
    public func render(into canvas: inout Canvas) {
        for (index, child) in children.enumerated() {
            canvas.descend(to: index) { child.render(into: &$0) }
        }
    }
}
