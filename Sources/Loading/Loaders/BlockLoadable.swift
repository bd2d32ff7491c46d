//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A loader around an async closure.
///
/// ```swift
/// let loader = BlockLoadable<String> {
///     try await fetchData()
/// }
/// ```
///
/// It shows `loading(nil)` and no other progress. All rules of ``BaseLoadable`` hold.
@MainActor
public final class BlockLoadable<Value: Hashable & Sendable>: BaseLoadable<Value> {
    private let block: @MainActor () async throws -> Value

    /// Creates a loader whose loads run the closure.
    /// - Parameter block: gives the value; runs on the main actor until its first await of something else.
    public init(block: @escaping @MainActor () async throws -> Value) {
        self.block = block
        super.init()
    }

    /// Runs the closure.
    public override func fetch() async throws -> Value {
        try await block()
    }
}
