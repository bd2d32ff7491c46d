//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Words for generated texts. All have five letters, so that a generated item has the same size whatever its seed.
enum SampleWords {
    static let all = [
        "amber", "birch", "cedar", "delta", "ember", "flint", "grove", "heron", "inlet", "jetty", "kayak", "larch", "maple", "north",
        "ocean", "pearl", "quill", "river", "stone", "tower", "umbra", "vivid", "wheat", "xenon", "young", "zebra", "brook", "cliff",
        "drift", "frost", "glade", "haven",
    ]

    /// `count` words, the first with a capital letter.
    static func phrase(_ count: Int, _ random: inout SplitMix64) -> String {
        let words = (0..<count).map { _ in random.pick(all) }.joined(separator: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }

    /// An RFC 3339 time in UTC of 2025, in one of `months`.
    static func time(months: ClosedRange<Int>, _ random: inout SplitMix64) -> String {
        func two(_ range: ClosedRange<Int>) -> String { padded(random.pick(range), to: 2) }
        return "2025-\(two(months))-\(two(1...28))T\(two(0...23)):\(two(0...59)):00Z"
    }

    /// `number` in decimal with leading zeros.
    static func padded(_ number: Int, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
