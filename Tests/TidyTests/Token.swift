//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// One word or one sign of Swift code.
struct Token: Equatable {
    let text: String
    /// From 1.
    let line: Int
    /// Nothing stands between this token and the one before it.
    let isGlued: Bool
    let isWord: Bool

    /// The tokens of the `code` of a scanned source, in order. Contents of strings and comments are not among them.
    static func tokens(of code: [String]) -> [Token] {
        var tokens: [Token] = []
        for (number, line) in code.enumerated() {
            var word: [UInt8] = []
            var wordIsGlued = false
            var previousIsSpace = true
            func endWord() {
                guard !word.isEmpty else { return }
                let text = String(decoding: word, as: UTF8.self)
                tokens.append(Token(text: text, line: number + 1, isGlued: wordIsGlued, isWord: true))
                word.removeAll(keepingCapacity: true)
            }
            for byte in line.utf8 {
                if isWordByte(byte) {
                    if word.isEmpty { wordIsGlued = !previousIsSpace }
                    word.append(byte)
                    previousIsSpace = false
                    continue
                }
                endWord()
                let isSpace = byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
                if !isSpace {
                    let text = String(decoding: [byte], as: UTF8.self)
                    tokens.append(Token(text: text, line: number + 1, isGlued: !previousIsSpace, isWord: false))
                }
                previousIsSpace = isSpace
            }
            endWord()
        }
        return tokens
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...0xff:
            true
        default: false
        }
    }
}
