//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What the example reads of an item of the origin's list `/items`, and of the feed `items`.
struct Item: Hashable, Sendable, Decodable {
    let title: String
}
