//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// How many letters must be changed, added, left out or swapped with their neighbour to make one word of another.
package enum SpellingDistance {
    /// The nearest of the words; nil when none is near enough to be meant.
    package static func nearest(to word: String, in words: [String]) -> String? {
        let ranked = words.map { (word: $0, distance: between(word, $0)) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= max(2, word.count / 2) else { return nil }
        return best.word
    }

    /// How many letters are added, left out, replaced or exchanged between two words.
    package static func between(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left), Array(right))
        var rows = [Array(0...right.count)]
        for (row, letter) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                var best = min(rows[row][column + 1] + 1, current[column] + 1, rows[row][column] + (letter == other ? 0 : 1))
                if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
                    best = min(best, rows[row - 1][column - 1] + 1)
                }
                current.append(best)
            }
            rows.append(current)
        }
        return rows[left.count][right.count]
    }
}
