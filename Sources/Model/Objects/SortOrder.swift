//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// By which field a list is sorted, and in which direction; ties go by creation date, then id.
public struct SortOrder: Hashable, Sendable {
    /// `title`, `createdAt`, `dueAt`, `id` or the name of a configured field.
    public var field: String
    /// Smallest first if true; missing values are last in both directions.
    public var ascending: Bool

    /// A sort order.
    public init(field: String, ascending: Bool = true) {
        self.field = field
        self.ascending = ascending
    }
}
