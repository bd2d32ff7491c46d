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
    package private(set) var lines: [String] = []
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
    package init(width: Int, height: Int? = nil) {
        self.width = max(1, width)
        self.height = max(1, height ?? .max)
    }

    /// Whether further lines would not be kept.
    package var isFull: Bool { lines.count >= height }

    /// Adds text: one line for each line of it, control characters made harmless, too long lines cut with "…".
    public mutating func write(_ text: String) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if isFull { skip(1) } else { lines.append(LineFitting.fit(line, width: width)) }
        }
    }

    /// Counts lines that are not drawn because the canvas is full.
    package mutating func skip(_ count: Int) {
        hiddenLineCount += count
    }

    /// Adds a button as a line with its number, which is the key that presses it.
    package mutating func addButton(_ title: String, action: @escaping @MainActor () -> Void) {
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
    package mutating func descend(to index: Int, _ draw: (inout Canvas) -> Void) {
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

/// Makes one terminal line out of any text: no control characters, no wider than asked.
package enum LineFitting {
    /// Columns that a character takes: 0 for marks that combine, 2 for wide East Asian characters and emoji, else 1.
    package static func columns(of character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        // Emoji of the older blocks are wide too, and what a selector makes one.
        if scalar.properties.isEmojiPresentation || character.unicodeScalars.contains("\u{FE0F}") { return 2 }
        switch scalar.value {
        case 0x0300...0x036F, 0x200B...0x200F, 0x20D0...0x20FF, 0xFE00...0xFE0F: return 0
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }

    /// Columns that a text takes.
    package static func columns(of text: some StringProtocol) -> Int {
        text.reduce(0) { $0 + columns(of: $1) }
    }

    /// The text without control characters, which a terminal would obey, and cut to `width` columns with "…" as its last one.
    package static func fit(_ text: some StringProtocol, width: Int) -> String {
        let clean = clean(text)
        guard columns(of: clean) > width else { return clean }
        var line = ""
        var used = 0
        for character in clean {
            let wide = columns(of: character)
            guard used + wide <= width - 1 else { break }
            line.append(character)
            used += wide
        }
        return width > 0 ? line + "…" : ""
    }

    /// The text without what a terminal would obey: control characters, line breaks and marks that turn the direction of writing become
    /// U+FFFD, a tab becomes a space.
    package static func clean(_ text: some StringProtocol) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map(printable)))
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    private static func printable(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        guard isControl(scalar) else { return scalar }
        return scalar == "\t" ? " " : "\u{FFFD}"
    }
}
