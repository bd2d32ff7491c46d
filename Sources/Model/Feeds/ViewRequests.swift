//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Which requests of a view the job that makes its order was asked for by.
///
/// The job makes all that the view asks for; its cancel or final failure takes back these requests and no others.
public struct ViewRequests: OptionSet, Hashable, Sendable {
    /// The bits: 1 the sort, 2 the filter.
    public let rawValue: UInt8

    /// The requests of these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The newest sort.
    public static let sort = ViewRequests(rawValue: 1)
    /// The newest filter.
    public static let filter = ViewRequests(rawValue: 2)
}
