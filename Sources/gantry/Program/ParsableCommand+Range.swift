//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Model

extension ParsableCommand {
    /// Refuses a number out of its range, with the range.
    static func check<Number: BinaryInteger>(_ option: String, _ value: Number?, _ range: ClosedRange<Number>) throws {
        guard let value, !range.contains(value) else { return }
        throw ValidationError("\(option) is \(range.lowerBound.grouped) to \(range.upperBound.grouped), not \(value)")
    }
}
