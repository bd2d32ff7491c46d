//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser

extension ParsableCommand {
    /// Refuses a number out of its range, with the range.
    static func check<Number: BinaryInteger>(_ option: String, _ value: Number?, _ range: ClosedRange<Number>) throws {
        guard let value, !range.contains(value) else { return }
        throw ValidationError("\(option) is \(grouped(range.lowerBound)) to \(grouped(range.upperBound)), not \(value)")
    }

    /// A number as help texts write it, for example 1,000,000.
    private static func grouped(_ number: some BinaryInteger) -> String {
        let digits = Array(String(number))
        return digits.indices.reduce(into: "") { text, index in
            if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
            text.append(digits[index])
        }
    }
}
