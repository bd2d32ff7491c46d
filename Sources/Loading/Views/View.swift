//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Something that draws itself as terminal lines.
///
/// Views are cheap values, made anew for each drawing; what lasts lives in loaders. See ``ViewHost`` and ``LiveRegion`` for where they show.
@MainActor
public protocol View {
    /// Adds this view's lines and buttons to the canvas.
    func render(into canvas: inout Canvas)
}

/// Puts the views of a closure under each other; `if`, `switch` and `for` work as in any result builder.
@MainActor
@resultBuilder
public enum ViewBuilder {
    /// One view.
    public static func buildExpression(_ view: some View) -> ViewGroup { ViewGroup([view]) }
    /// All statements of a closure, in order; none is an empty group.
    public static func buildBlock(_ groups: ViewGroup...) -> ViewGroup { ViewGroup(groups) }
    /// An `if` without `else`.
    public static func buildOptional(_ group: ViewGroup?) -> ViewGroup { group ?? ViewGroup([]) }
    /// The first branch of a choice.
    public static func buildEither(first group: ViewGroup) -> ViewGroup { group }
    /// The second branch of a choice.
    public static func buildEither(second group: ViewGroup) -> ViewGroup { group }
    /// A loop.
    public static func buildArray(_ groups: [ViewGroup]) -> ViewGroup { ViewGroup(groups) }
}

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
