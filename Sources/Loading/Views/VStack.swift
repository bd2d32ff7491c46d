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
