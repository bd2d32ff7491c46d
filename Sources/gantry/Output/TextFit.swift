//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Loading

/// Text for people at a terminal of so many columns: the terminal itself never has to break a line.
enum TextFit {
    /// Breaks lines that are too wide between words, and words that are too wide anywhere. What follows stands below the text of the first
    /// line: behind a label such as `error: ` or a first column. Of a usage no option is parted from its value.
    /// - Parameter indent: where it stands instead.
    static func fold(_ text: String, columns: Int, indent: Int? = nil) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            guard plain(line).prefixMatch(of: usageLabel) != nil else { return fold(line: line, columns, indent) }
            let glued = line.replacing(/\[[-<][^\]]*\]/) { $0.output.replacing(" ", with: "\u{A0}") }
            return fold(line: glued, columns, indent).replacing("\u{A0}", with: " ")
        }.joined(separator: "\n")
    }

    /// The help of the parser, which breaks all lines but that of the usage.
    static func fold(help: String, columns: Int) -> String {
        help.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.prefixMatch(of: usageLabel) == nil ? String($0) : fold(String($0), columns: columns) }.joined(separator: "\n")
    }

    private static var usageLabel: Regex<Substring> { #/(?:usage|USAGE): /# }

    /// A line that may lose its end, which becomes "…".
    static func cut(_ line: String, columns: Int) -> String { LineFitting.fit(line, width: columns) }

    /// The text without what a terminal would obey, whoever wrote it; its lines and the bold words of `TextStyle` stay.
    static func clean(_ text: String) -> String {
        // Most texts are plain, and some are long: a million ids.
        if text.utf8.allSatisfy({ $0 == UInt8(ascii: "\n") || (0x20..<0x7F).contains($0) }) { return text }
        var clean = ""
        var rest = text[...]
        while let mark = rest.firstMatch(of: /\n|\x{1B}\[[01]m/) {
            clean += LineFitting.clean(rest[..<mark.range.lowerBound]) + rest[mark.range]
            rest = rest[mark.range.upperBound...]
        }
        return clean + LineFitting.clean(rest)
    }

    /// Columns that a text takes; colors take none.
    static func width(of text: some StringProtocol) -> Int { LineFitting.columns(of: plain(text)) }

    private static func plain(_ text: some StringProtocol) -> String {
        String(text).replacing(/\x{1B}\[[0-9;]*m/, with: "")
    }

    private static func fold(line: Substring, _ columns: Int, _ given: Int?) -> String {
        // No text is wider than its bytes.
        guard line.utf8.count > columns, width(of: line) > columns else { return String(line) }
        let indent = given.map { min($0, max(0, columns - 16)) } ?? indent(of: line, columns)
        var folded = ""
        var used = 0
        var hasWord = false
        for (index, word) in line.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
            let wide = width(of: word)
            if hasWord, used + 1 + wide > columns {
                folded += "\n" + String(repeating: " ", count: indent)
                (used, hasWord) = (indent, false)
            } else if index > 0 {
                folded += " "
                used += 1
            }
            hasWord = hasWord || wide > 0
            guard wide > columns - indent else {
                folded += word
                used += wide
                continue
            }
            for character in word {
                let wide = LineFitting.columns(of: character)
                if used + wide > columns {
                    folded += "\n" + String(repeating: " ", count: indent)
                    used = indent
                }
                folded.append(character)
                used += wide
            }
        }
        return folded
    }

    /// Where the text of a line begins behind its label; 2 columns further than the line itself where it has none.
    private static func indent(of line: Substring, _ columns: Int) -> Int {
        let text = plain(line)
        let label = text.prefixMatch(of: /(?:error|usage|USAGE): |\s*[^ ]+( [^ ]+)?\s\s+/).map { width(of: $0.output.0) } ?? 0
        if label > 0, label <= min(24, columns / 3) { return label }
        return min(text.prefix { $0 == " " }.count + 2, columns / 3)
    }
}
