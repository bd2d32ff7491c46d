//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Separates a Swift source into what the compiler reads and what people read.
///
/// `code` keeps every line with comments and the contents of string literals replaced by spaces; code in string
/// interpolations stays. `comments` has the comment text of each line, with its slashes.
struct SourceScanner {
    private enum Context: Equatable {
        case code
        /// Code within `\( … )` of a string; `parentheses` are open.
        case interpolation(parentheses: Int)
        case string(hashes: Int, isMultiLine: Bool)
        case blockComment(depth: Int)
    }

    private static let newline = UInt8(ascii: "\n")
    private static let quote = UInt8(ascii: "\"")
    private static let hash = UInt8(ascii: "#")
    private static let slash = UInt8(ascii: "/")
    private static let star = UInt8(ascii: "*")
    private static let space = UInt8(ascii: " ")

    private(set) var code: [String] = []
    private(set) var comments: [String] = []

    private let bytes: [UInt8]
    private var index = 0
    private var contexts: [Context] = [.code]
    private var codeLine: [UInt8] = []
    private var commentLine: [UInt8] = []

    init(_ text: String) {
        bytes = Array(text.utf8)
        while index < bytes.count { step() }
        if !codeLine.isEmpty || !commentLine.isEmpty { endLine() }
    }

    private func peek(_ offset: Int = 0) -> UInt8? {
        index + offset < bytes.count ? bytes[index + offset] : nil
    }

    private func isNext(_ text: StaticString, at offset: Int = 0) -> Bool {
        let wanted = Array("\(text)".utf8)
        guard index + offset + wanted.count <= bytes.count else { return false }
        return bytes[(index + offset)..<(index + offset + wanted.count)].elementsEqual(wanted)
    }

    private func hashCount(at offset: Int) -> Int {
        var count = 0
        while peek(offset + count) == Self.hash { count += 1 }
        return count
    }

    private mutating func endLine() {
        code.append(String(decoding: codeLine, as: UTF8.self))
        comments.append(String(decoding: commentLine, as: UTF8.self))
        codeLine.removeAll(keepingCapacity: true)
        commentLine.removeAll(keepingCapacity: true)
    }

    private mutating func keep(_ count: Int = 1) {
        for _ in 0..<count where index < bytes.count {
            codeLine.append(bytes[index])
            index += 1
        }
    }

    private mutating func blank(_ count: Int = 1) {
        for _ in 0..<count where index < bytes.count && bytes[index] != Self.newline {
            codeLine.append(Self.space)
            index += 1
        }
    }

    private mutating func step() {
        guard let byte = peek(), let context = contexts.last else { return }
        if byte == Self.newline {
            if case .string(_, isMultiLine: false) = context { contexts.removeLast() }
            endLine()
            index += 1
            return
        }
        switch context {
        case .code, .interpolation: stepInCode(byte, context)
        case .string(let hashes, let isMultiLine): stepInString(byte, hashes: hashes, isMultiLine: isMultiLine)
        case .blockComment(let depth): stepInComment(depth)
        }
    }

    private mutating func stepInCode(_ byte: UInt8, _ context: Context) {
        if byte == Self.slash, peek(1) == Self.slash {
            while let next = peek(), next != Self.newline {
                commentLine.append(next)
                index += 1
            }
            return
        }
        if byte == Self.slash, peek(1) == Self.star {
            contexts.append(.blockComment(depth: 1))
            blank(2)
            return
        }
        let hashes = hashCount(at: 0)
        if peek(hashes) == Self.quote {
            let isMultiLine = isNext("\"\"\"", at: hashes)
            keep(hashes + (isMultiLine ? 3 : 1))
            contexts.append(.string(hashes: hashes, isMultiLine: isMultiLine))
            return
        }
        if case .interpolation(let parentheses) = context { follow(byte, parentheses) }
        keep(max(1, hashes))
    }

    private mutating func follow(_ byte: UInt8, _ parentheses: Int) {
        contexts.removeLast()
        if byte == UInt8(ascii: "(") {
            contexts.append(.interpolation(parentheses: parentheses + 1))
        } else if byte != UInt8(ascii: ")") {
            contexts.append(.interpolation(parentheses: parentheses))
        } else if parentheses > 1 {
            contexts.append(.interpolation(parentheses: parentheses - 1))
        }
    }

    private mutating func stepInString(_ byte: UInt8, hashes: Int, isMultiLine: Bool) {
        if byte == UInt8(ascii: "\\"), hashCount(at: 1) >= hashes {
            if peek(1 + hashes) == UInt8(ascii: "(") {
                blank(1 + hashes)
                keep()
                contexts.append(.interpolation(parentheses: 1))
            } else {
                blank(2 + hashes)
            }
            return
        }
        let width = isMultiLine ? 3 : 1
        if byte == Self.quote, !isMultiLine || isNext("\"\"\""), hashCount(at: width) >= hashes {
            keep(width + hashes)
            contexts.removeLast()
            return
        }
        blank()
    }

    private mutating func stepInComment(_ depth: Int) {
        if isNext("*/") {
            contexts.removeLast()
            if depth > 1 { contexts.append(.blockComment(depth: depth - 1)) }
            blank(2)
        } else if isNext("/*") {
            contexts.removeLast()
            contexts.append(.blockComment(depth: depth + 1))
            blank(2)
        } else {
            if let byte = peek() { commentLine.append(byte) }
            blank()
        }
    }
}
