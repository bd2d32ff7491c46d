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

/// Lines of a terminal that are drawn over and over in place, at most 30 times a second.
///
/// ```swift
/// let region = LiveRegion(write: { print($0, terminator: "") }) {
///     LoadingView(loader: loader) { Text($0) }
/// }
/// region.start()
/// ```
///
/// A change is drawn at once when nothing was drawn for 1/30 s, else when that time is over; all changes until then are one drawing. What
/// has not changed is not written. Texts cannot move the cursor: control characters in them are made harmless.
@MainActor
public final class LiveRegion {
    /// The most drawings in a second.
    package static let framesPerSecond = 30

    /// How many drawings were written.
    public private(set) var frameCount = 0

    private let host: ViewHost
    private let write: @MainActor (String) -> Void
    private let timeline: Timeline
    private var machine = RedrawMachine(interval: .seconds(1) / LiveRegion.framesPerSecond)
    private var timer: Task<Void, Never>?
    private var drawn: [String] = []
    private var isStarted = false

    /// Creates a region; nothing is written before ``start()``.
    /// - Parameters:
    ///   - width: columns of the terminal.
    ///   - height: lines at most; keep it below the height of the terminal, or the region cannot be drawn in place.
    ///   - clock: the clock that times drawings.
    ///   - write: writes text to the terminal, at once and unchanged.
    ///   - content: makes the views; runs for each drawing.
    public init(
        width: Int = 80, height: Int? = 23, clock: any Clock<Duration> = ContinuousClock(), write: @escaping @MainActor (String) -> Void,
        @ViewBuilder content: @escaping @MainActor () -> ViewGroup
    ) {
        host = ViewHost(width: width, height: height, content: content)
        timeline = Timeline(clock)
        self.write = write
    }

    isolated deinit {
        timer?.cancel()
    }

    /// Draws for the first time and follows the loaders from now on. After ``stop()`` it begins anew, below the lines that stand.
    public func start() {
        guard !isStarted else { return }
        (isStarted, drawn) = (true, [])
        host.onChange = { [weak self] in self?.changed() }
        changed()
    }

    /// Draws what is not drawn yet, whenever the last drawing was, and lets the lines stand. All views disappear.
    public func stop() {
        guard isStarted else { return }
        isStarted = false
        host.onChange = nil
        timer?.cancel()
        timer = nil
        machine.timerEnded(at: timeline.now())
        draw()
        host.close()
    }

    /// Presses a button by its number, from 1; false when there is no such button.
    @discardableResult
    public func press(_ number: Int) -> Bool {
        host.press(number)
    }

    private func changed() {
        switch machine.changed(at: timeline.now()) {
        case .draw: draw()
        case .join: break
        case .wait(let deadline):
            timer = Task { [weak self, timeline] in
                do { try await timeline.sleep(deadline) } catch { return }
                if !Task.isCancelled { self?.timerEnded() }
            }
        }
    }

    private func timerEnded() {
        machine.timerEnded(at: timeline.now())
        draw()
    }

    private func draw() {
        let lines = host.render()
        guard lines != drawn else { return }
        // Up to the first line of the region, to its first column, and clear to the end of the screen.
        let home = drawn.isEmpty ? "" : "\u{1B}[\(drawn.count)A\r\u{1B}[J"
        write(home + lines.map { $0 + "\n" }.joined())
        drawn = lines
        frameCount += 1
    }
}
