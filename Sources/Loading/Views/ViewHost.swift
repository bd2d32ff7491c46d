//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Gives views a place: draws them as lines, and keeps track of which loading views have appeared and disappeared.
///
/// ```swift
/// let host = ViewHost {
///     LoadingView(loader: loader) { Text($0) }
/// }
/// host.onChange = { print(host.render()) }
/// ```
///
/// Use it to draw views into lines, in tests or in a terminal program with a screen of its own. The content closure runs for each drawing, so it may show different views at different times. A view at the same place with the same
/// loader has stayed; others have appeared or disappeared.
@MainActor
public final class ViewHost {
    private struct Shown {
        let following: Task<Void, Never>
        let disappear: @MainActor () -> Void
    }

    /// Runs whenever a loader on the screen has changed: draw again, now or a little later.
    public var onChange: (@MainActor () -> Void)?

    private let size: (width: Int, height: Int?)
    private let content: @MainActor () -> ViewGroup
    private var shown: [Canvas.AttachmentKey: Shown] = [:]
    private var buttons: [Canvas.ButtonSlot] = []

    /// Creates a host that has drawn nothing.
    /// - Parameters:
    ///   - width: columns of the terminal.
    ///   - height: lines at most; the last one says how many are missing. Absent means no bound.
    ///   - content: makes the views.
    public init(width: Int = 80, height: Int? = nil, @ViewBuilder content: @escaping @MainActor () -> ViewGroup) {
        size = (width, height)
        self.content = content
    }

    isolated deinit {
        for view in shown.values { view.following.cancel() }
    }

    /// Draws now. Loading views that are new appear, those that are gone disappear.
    /// - Returns: the lines, without line ends.
    public func render() -> [String] {
        var canvas = Canvas(width: size.width, height: size.height)
        content().render(into: &canvas)
        buttons = canvas.buttons
        settle(canvas.attachments)
        guard canvas.hiddenLineCount > 0 else { return canvas.lines }
        return canvas.lines.dropLast() + [LineFitting.fit("… \(canvas.hiddenLineCount + 1) more", width: canvas.width)]
    }

    /// Presses a button of the last drawing.
    /// - Parameter number: as drawn, from 1.
    /// - Returns: whether there was such a button.
    @discardableResult
    public func press(_ number: Int) -> Bool {
        guard buttons.indices.contains(number - 1) else { return false }
        buttons[number - 1].action()
        onChange?()
        return true
    }

    /// Takes everything off the screen: all loading views disappear.
    public func close() {
        buttons = []
        settle([])
    }

    private func settle(_ attachments: [Canvas.Attachment]) {
        let present = Set(attachments.map(\.key))
        let gone = shown.filter { !present.contains($0.key) }.sorted { $0.key.place.lexicographicallyPrecedes($1.key.place) }
        for (key, view) in gone {
            shown[key] = nil
            view.following.cancel()
            view.disappear()
        }
        for attachment in attachments {
            let following = shown[attachment.key]?.following ?? attachment.appear { [weak self] in self?.onChange?() }
            shown[attachment.key] = Shown(following: following, disappear: attachment.disappear)
        }
    }
}
