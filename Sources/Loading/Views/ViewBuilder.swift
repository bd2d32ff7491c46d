//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

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
