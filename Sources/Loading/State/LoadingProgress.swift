//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// How far a running load has come, as far as the loader knows.
///
/// Every field may be absent: absent means unknown, which is not the same as zero or false.
public struct LoadingProgress: Hashable, Sendable {
    /// Whether the load was asked to stop and is still stopping.
    public let isCanceled: Bool?
    /// Text for people, for example "Processing...".
    public let message: String?
    /// Percent done, always within 0...100.
    public let percent: Int?

    /// Creates a progress value.
    /// - Parameters:
    ///   - isCanceled: whether the load was asked to stop.
    ///   - message: text for people.
    ///   - percent: percent done; values below 0 become 0, values above 100 become 100, absent stays absent.
    public init(isCanceled: Bool? = nil, message: String? = nil, percent: Int? = nil) {
        self.isCanceled = isCanceled
        self.message = message
        self.percent = percent.map { min(max($0, 0), 100) }
    }

    /// Creates a progress value from percent and message, in this order, with `isCanceled` unknown.
    /// - Parameters:
    ///   - percent: percent done, clamped to 0...100.
    ///   - message: text for people.
    public init(percent: Int?, message: String?) {
        self.init(isCanceled: nil, message: message, percent: percent)
    }
}
