//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Where a part of `up` stands in the order of starting. Stopping goes the other way: workers hand in their last outcomes to a front
/// that still hears them, and what they load comes from an origin that still answers.
enum PartStage: Int, CaseIterable, Comparable {
    case origin, front, workers

    static func < (left: PartStage, right: PartStage) -> Bool { left.rawValue < right.rawValue }
}
