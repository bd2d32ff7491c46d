//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension Rule {
    /// One idea has one word, and it is the field's: what was called otherwise once is not called so again.
    static let wordRules = [
        Rule("names, keys and options use the field's words", in: { isNamed($0) }) { file in
            names(in: file).flatMap { name, line in
                words(ofName: name).compactMap { word in
                    guard let better = OldWord.all[word], !OldWord.stays(word, in: name, of: file.path) else { return nil }
                    return file.violation(line, "\(name): “\(word)” is \(better)")
                }
            }
        },
        Rule("words and names are spelled as in America", in: { !spellingFiles.contains($0.path) }) { file in
            file.lines.enumerated().flatMap { number, line in
                words(ofName: charterNames.reduce(line) { $0.replacing($1, with: "") }).compactMap { word in
                    Spelling.better(word).map { file.violation(number + 1, "“\(word)” is “\($0)”") }
                }
            }
        },
    ]

    /// What the specification of the library of loading views calls so; the word is `cancelled` everywhere else.
    private static let charterNames = ["isCanceled", "(canceled)"]

    /// The files that name the words which are spelled otherwise.
    private static let spellingFiles = ["Tests/TidyTests/InjectedViolation+Words.swift", "Tests/TidyTests/Spelling.swift"]

    /// Names of the simulation are read beside those of what it runs.
    private static func isNamed(_ file: SourceFile) -> Bool {
        file.isSource || file.isSwift && ["Tests/Simulation/", "Tests/Simulate/"].contains { file.path.hasPrefix($0) }
            || file.path.hasPrefix("Protocol/") && [".proto", ".txtpb", ".json"].contains { file.path.hasSuffix($0) }
    }

    /// The names of a file: its own, identifiers, and what stands in quotation marks without a blank, as keys, options and topics do.
    private static func names(in file: SourceFile) -> [(name: String, line: Int)] {
        var names = [(name: String(file.name.prefix { $0 != "." }), line: 1)]
        if file.isSwift {
            names += file.tokens.lazy.filter(\.isWord).map { ($0.text, $0.line) }
            for (number, line) in file.lines.enumerated() where line.contains("\"") && !isComment(line) {
                names += quoted(line).map { ($0, number + 1) }
            }
        } else if file.path.hasSuffix(".json") {
            for (number, line) in file.lines.enumerated() { names += quoted(line).map { ($0, number + 1) } }
        } else {
            let mark = file.path.hasSuffix(".proto") ? "//" : "#"
            for (number, line) in file.lines.enumerated() {
                let code = line.split(separator: "\"", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 0 }
                let text = code.map(\.element).joined(separator: " ")
                let end = text.firstRange(of: mark)?.lowerBound ?? text.endIndex
                names += text[..<end].split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map { (String($0), number + 1) }
            }
        }
        return names
    }

    private static func isComment(_ line: String) -> Bool { line.drop { $0 == " " }.hasPrefix("//") }

    private static func quoted(_ line: String) -> [String] {
        let pieces = line.split(separator: "\"", omittingEmptySubsequences: false)
        return pieces.indices.lazy.filter { $0 % 2 == 1 }.map { String(pieces[$0]) }.filter { piece in
            !piece.isEmpty && piece.utf8.allSatisfy { $0 < 0x80 && ($0 >= 0x30 || $0 == UInt8(ascii: "-")) && $0 != UInt8(ascii: "\\") }
        }
    }

    /// The words of `aName`, `a_name`, `a-name` and `HTTPName`, in small letters.
    static func words(ofName name: String) -> [String] {
        var (words, word, wasSmall): ([String], [UInt8], Bool) = ([], [], false)
        let bytes = Array(name.utf8)
        func isLarge(_ index: Int) -> Bool { bytes.indices.contains(index) && (0x41...0x5A).contains(bytes[index]) }
        func isSmall(_ index: Int) -> Bool { bytes.indices.contains(index) && (0x61...0x7A).contains(bytes[index]) }
        func end() {
            if !word.isEmpty { words.append(String(decoding: word, as: UTF8.self)) }
            word.removeAll(keepingCapacity: true)
        }
        for index in bytes.indices {
            let (large, small) = (isLarge(index), isSmall(index))
            if !large, !small || (large && wasSmall) { end() }
            if large, wasSmall || (!word.isEmpty && isSmall(index + 1)) { end() }
            if large || small { word.append(bytes[index] | 0x20) }
            wasSmall = small
        }
        end()
        return words
    }
}
