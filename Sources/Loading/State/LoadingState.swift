//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Where a loader stands.
///
/// `idle` moves to `loading`, which moves to `loaded` or `failure`; a new load moves either of them to `loading` again; a cancelled
/// load moves back to the last state that was not `loading`; a reset moves everything to `idle`.
public enum LoadingState<Value: Hashable & Sendable>: Hashable, Sendable, CustomStringConvertible {
    /// Nothing was loaded yet, or the loader was reset.
    case idle
    /// A load runs. The progress is absent until the loader reports one.
    case loading(LoadingProgress?)
    /// The last load ended with this failure.
    case failure(HashableError)
    /// The last load ended with this value.
    case loaded(Value)

    /// A failure from a bare error, under a new identity.
    public static func failure(_ error: any Error & Sendable) -> LoadingState {
        .failure(HashableError(error))
    }

    /// The error as it was thrown, when the state is a failure.
    public var error: (any Error & Sendable)? {
        if case .failure(let failure) = self { failure.error } else { nil }
    }

    /// The loaded value, when there is one.
    public var value: Value? {
        if case .loaded(let value) = self { value } else { nil }
    }

    /// Whether the state is `loading`, with or without progress.
    public var isLoading: Bool {
        if case .loading = self { true } else { false }
    }

    /// The failure with its identity, when the state is a failure.
    var failure: HashableError? {
        if case .failure(let failure) = self { failure } else { nil }
    }

    /// Text for people; for a failure it is the error's localized description.
    public var description: String {
        switch self {
        case .idle:
            return "idle"
        case .loading(nil):
            return "loading"
        case .loading(.some(let progress)):
            let parts = [
                progress.percent.map { "\($0)%" }, progress.message, progress.isCanceled == true ? "cancelled" : nil,
            ]
            return (["loading"] + parts.compactMap { $0 }).joined(separator: " ")
        case .failure(let failure):
            return failure.localizedDescription
        case .loaded(let value):
            return "loaded(\(value))"
        }
    }
}

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
