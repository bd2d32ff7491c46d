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

/// Rows with a bullet each. Rows that do not fit the canvas are counted, not made, so the size of the data does not matter.
public struct List: View {
    private let draw: @MainActor (inout Canvas) -> Void

    /// Creates a list with one row for each element.
    /// - Parameters:
    ///   - data: the elements, in the order shown.
    ///   - rowContent: makes the views of a row.
    public init<Data: RandomAccessCollection>(_ data: Data, @ViewBuilder rowContent: @escaping @MainActor (Data.Element) -> ViewGroup) {
        draw = { canvas in
            for (index, element) in data.enumerated() {
                guard !canvas.isFull else {
                    canvas.skip(data.count - index)
                    return
                }
                canvas.descend(to: index) { canvas in
                    canvas.indent("• ") { rowContent(element).render(into: &$0) }
                }
            }
        }
    }

    /// Draws the rows.
    public func render(into canvas: inout Canvas) {
        draw(&canvas)
    }
}

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
