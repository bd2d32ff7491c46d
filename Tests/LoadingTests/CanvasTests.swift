//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Testing

@testable import Loading

@MainActor
@Suite("Lines of a terminal")
struct CanvasTests {
    private func draw(width: Int = 12, height: Int? = nil, @ViewBuilder _ content: @escaping @MainActor () -> ViewGroup) -> [String] {
        ViewHost(width: width, height: height, content: content).render()
    }

    @Test("a text has its lines, too long ones are cut, wide characters count twice")
    func text() {
        #expect(draw { Text("one\n\ntwo") } == ["one", "", "two"])
        #expect(draw { Text("exactly 12 c") } == ["exactly 12 c"])
        #expect(draw { Text("more than 12 c") } == ["more than 1…"])
        #expect(draw(width: 5) { Text("日本語") } == ["日本…"])
        #expect(draw(width: 6) { Text("日本語") } == ["日本語"])
        for wide in ["⌚", "✅", "❤️", "🇫🇷", "👩‍👩‍👧", "🟢"] { #expect(LineFitting.columns(of: wide) == 2, "\(wide)") }
        for narrow in ["❤", "✓", "é", "1", "•", "…"] { #expect(LineFitting.columns(of: narrow) == 1, "\(narrow)") }
        #expect(draw(width: 5) { Text("✅✅✅") } == ["✅✅…"])
        #expect(draw(width: 0) { Text("ab") } == ["…"])
    }

    @Test("control characters cannot reach the terminal")
    func control() {
        #expect(draw { Text("\u{1B}[2Ja\tb\u{7}") } == ["\u{FFFD}[2Ja b\u{FFFD}"])
        #expect(draw { Text("a\u{202E}b\u{9B}c") } == ["a\u{FFFD}b\u{FFFD}c"])
    }

    @Test("builders take conditions and loops")
    func builder() {
        for flag in [true, false] {
            let lines = draw {
                if flag { Text("yes") } else { Text("no") }
                for number in 1...2 { Text("\(number)") }
                if flag { Text("end") }
            }
            #expect(lines == (flag ? ["yes", "1", "2", "end"] : ["no", "1", "2"]))
        }
    }

    @Test("what does not fit the height is counted, and rows of a long list are not even made")
    func height() {
        var made = 0
        let lines = draw(width: 13, height: 3) {
            Text("top")
            List(0..<1_000_000) { row in
                let _ = made += 1
                Text("row \(row)")
            }
        }
        #expect(lines == ["top", "• row 0", "… 999999 more"])
        #expect(made == 2)
        #expect(draw(width: 5, height: 1) { List(0..<1_000) { _ in Text("row") } } == ["… 10…"])
    }

    @Test("a bar is filled by percent, clamped")
    func bar() {
        #expect(draw(width: 20) { ProgressView(percent: 39) } == ["[███·······]"])
        #expect(draw(width: 20) { ProgressView(percent: 400) } == ["[██████████]"])
        #expect(draw(width: 20) { ProgressView() } == ["[··········]"])
    }
}
