//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// How many letters must be changed, added, left out or swapped with their neighbor to make one word of another.
package enum SpellingDistance {
    /// Words that are compared: whoever asks often for what is not there costs no more than that.
    private static let wordLimit = 256

    /// The nearest of the words; nil when none is near enough to be meant.
    package static func nearest(to word: String, in words: [String]) -> String? {
        let most = max(2, word.count / 2)
        // No letter takes more than four bytes: what is so much longer or shorter is not near enough.
        let compared = words.lazy.filter { abs($0.utf8.count - word.utf8.count) <= 4 * most }.prefix(wordLimit)
        let ranked = compared.map { (word: $0, distance: between(word, $0)) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= most else { return nil }
        return best.word
    }

    /// How many letters are added, left out, replaced or exchanged between two words.
    package static func between(_ left: String, _ right: String) -> Int {
        // Names are ASCII, whose letters are bytes.
        let areASCII = [left, right].allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } }
        return areASCII ? between(Array(left.utf8), Array(right.utf8)) : between(Array(left), Array(right))
    }

    private static func between<Letter: Equatable>(_ left: [Letter], _ right: [Letter]) -> Int {
        // The rows before the last one, the last one, and the one that is made.
        var (older, last, current) = ([Int](), Array(0...right.count), Array(repeating: 0, count: right.count + 1))
        for (row, letter) in left.enumerated() {
            current[0] = row + 1
            for (column, other) in right.enumerated() {
                var best = min(last[column + 1] + 1, current[column] + 1, last[column] + (letter == other ? 0 : 1))
                if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other { best = min(best, older[column - 1] + 1) }
                current[column + 1] = best
            }
            (older, last, current) = (last, current, older.isEmpty ? current : older)
        }
        return last[right.count]
    }
}
