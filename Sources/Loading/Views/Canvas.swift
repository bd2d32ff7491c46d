//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The lines of one drawing, and what goes with them: buttons, and the loaders that are on the screen. A ``View`` of your own writes into it.
@MainActor
public struct Canvas {
    struct ButtonSlot {
        let title: String
        let action: @MainActor () -> Void
    }

    /// A view's place in the tree and the loader it shows: equal keys in two drawings mean that the view has stayed.
    struct AttachmentKey: Hashable {
        let place: [Int]
        let loader: ObjectIdentifier?
    }

    /// What a view does when it appears and disappears.
    struct Attachment {
        let key: AttachmentKey
        /// Starts following; calls back on each change.
        let appear: @MainActor (_ changed: @escaping @MainActor () -> Void) -> Task<Void, Never>
        let disappear: @MainActor () -> Void
    }

    /// Columns that a line may take here.
    public private(set) var width: Int
    /// The lines so far, none wider than the width of the whole canvas.
    public private(set) var lines: [String] = []
    /// Lines that did not fit the height.
    private(set) var hiddenLineCount = 0
    private(set) var buttons: [ButtonSlot] = []
    private(set) var attachments: [Attachment] = []
    private let height: Int
    private var place: [Int] = []

    /// Creates an empty canvas.
    /// - Parameters:
    ///   - width: columns; values below 1 become 1.
    ///   - height: lines kept, further ones are counted; absent means no bound. Values below 1 become 1.
    public init(width: Int, height: Int? = nil) {
        self.width = max(1, width)
        self.height = max(1, height ?? .max)
    }

    /// Whether further lines would not be kept.
    public var isFull: Bool { lines.count >= height }

    /// Adds text: one line for each line of it, control characters made harmless, too long lines cut with "…".
    public mutating func write(_ text: String) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if isFull { skip(1) } else { lines.append(LineFitting.fit(line, width: width)) }
        }
    }

    /// Counts lines that are not drawn because the canvas is full.
    public mutating func skip(_ count: Int) {
        hiddenLineCount += count
    }

    /// Adds a button as a line with its number, which is the key that presses it.
    public mutating func addButton(_ title: String, action: @escaping @MainActor () -> Void) {
        buttons.append(ButtonSlot(title: title, action: action))
        write("[\(buttons.count)] \(title)")
    }

    /// Draws with `first` before the first line and spaces before the others.
    public mutating func indent(_ first: String, _ draw: (inout Canvas) -> Void) {
        let columns = LineFitting.columns(of: first)
        let outer = width
        let start = lines.count
        width = max(1, width - columns)
        draw(&self)
        width = outer
        for index in lines.indices.dropFirst(start) {
            let prefix = index == start ? first : String(repeating: " ", count: columns)
            lines[index] = LineFitting.fit(prefix + lines[index], width: outer)
        }
    }

    /// Draws a child at its own place, so that its loaders are told from those of its neighbors.
    public mutating func descend(to index: Int, _ draw: (inout Canvas) -> Void) {
        place.append(index)
        draw(&self)
        place.removeLast()
    }

    mutating func attach(
        loader: ObjectIdentifier?, appear: @escaping @MainActor (@escaping @MainActor () -> Void) -> Task<Void, Never>,
        disappear: @escaping @MainActor () -> Void
    ) {
        let key = AttachmentKey(place: place, loader: loader)
        attachments.append(Attachment(key: key, appear: appear, disappear: disappear))
    }
}
