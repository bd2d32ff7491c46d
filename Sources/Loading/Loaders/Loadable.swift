//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Observation

/// Something that can be loaded, cancelled and reset, and that can be watched meanwhile.
///
/// Everything is isolated to the main actor. Views and decorators work with any conforming type, local or remote: take `some Loadable<Value>` in
/// your own code, and it works with a plain loader, a stack of decorators and a remote one alike.
@MainActor
public protocol Loadable<Value> {
    /// What a successful load gives.
    associatedtype Value: Hashable & Sendable

    /// The current state and all later ones. It begins with the current state; every type of this library lets any number of
    /// observers iterate it, each with its own buffer of the newest state.
    var state: any AsyncSequence<LoadingState<Value>, Never> { get }

    /// The state now.
    var currentState: LoadingState<Value> { get }

    /// Whether ``cancel()`` was called and ``reset()`` not yet.
    var isCanceled: Bool { get }

    /// Loads. Returns when the load has ended, or at once where a decorator defers it.
    func load() async

    /// Cancels what runs, forgets what was loaded, drops late results. Afterwards the state is `idle`.
    func reset()

    /// Cancels what runs and returns to the last state that was not `loading`.
    func cancel()
}

extension Loadable {
    /// Loads, unless the current state is `loading`: the duplicate call is dropped and returns at once.
    public func loadIfNotLoading() async {
        guard !currentState.isLoading else { return }
        await load()
    }
}

/// A loader whose `load()` may return before the load was made.
///
/// ``DebouncingLoadable`` is one; the other decorators pass on what they wrap. Conform when your own loader only accepts work in
/// `load()` and does it later while its state is not `loading` yet: ``RetryableLoader`` then knows that a returned call is not an outcome.
@MainActor
public protocol DeferringLoadable: Loadable {
    /// Whether a load was accepted whose outcome has not been published.
    var isLoadPending: Bool { get }
}

extension Loadable {
    /// Whether a load was accepted that will be made later; false for loaders that never defer.
    var hasPendingLoad: Bool {
        (self as? any DeferringLoadable)?.isLoadPending ?? false
    }
}

/// A loader to subclass: override ``fetch()`` and the rest is done.
///
/// ```swift
/// class CustomLoader: BaseLoadable<Data> {
///     override func fetch() async throws -> Data {
///         // Update progress
///         updateState(.loading(LoadingProgress(percent: 50)))
///         // Perform work
///         return data
///     }
/// }
/// ```
///
/// 1. ``load()`` shows `loading(nil)`, fetches, and shows `loaded` or `failure`.
/// 2. Overlapping calls of ``load()`` all run. A result is shown only if no load that started later has shown one.
///    `loadIfNotLoading()` drops duplicates instead.
/// 3. ``cancel()`` cancels what runs and returns to the last state that was not `loading`. Until ``reset()`` a new ``load()`` does nothing.
/// 4. When the task that called ``load()`` is cancelled, that load is cancelled; this is no failure. So is a fetch that throws `CancellationError`.
/// 5. ``reset()`` cancels, drops late results and shows `idle`.
/// 6. ``load()`` returns when its fetch has really ended. A fetch that does not react to cancellation holds its caller, never the state.
///
/// Report progress with ``updateState(_:)``:
///
/// ```swift
/// class ProgressLoader: BaseLoadable<String> {
///     override func fetch() async throws -> String {
///         for i in 0...100 {
///             updateState(.loading(LoadingProgress(
///                 percent: i,
///                 message: "Processing..."
///             )))
///             try await Task.sleep(nanoseconds: 10_000_000)
///         }
///         return "Complete"
///     }
/// }
/// ```
///
/// ``load()``, ``reset()`` and ``cancel()`` may be overridden too; call `super` unless the subclass drives its state itself.
///
/// The loader is observable: views that read ``currentState`` are notified when it changes. A running fetch keeps the loader alive.
@MainActor
@Observable
open class BaseLoadable<Value: Hashable & Sendable>: Loadable {
    @ObservationIgnored private var machine = LoadMachine<Value>()
    @ObservationIgnored private var fetches: [UInt64: Task<Value, any Error>] = [:]
    @ObservationIgnored private let output = StateOutput<Value>()

    /// Whether ``cancel()`` was called and ``reset()`` not yet.
    public var isCanceled: Bool {
        access(keyPath: \.isCanceled)
        return machine.isCanceled
    }

    /// Creates a loader that is idle.
    public init() {}

    /// The current state and all later ones, for any number of observers.
    public var state: any AsyncSequence<LoadingState<Value>, Never> { output.states }

    /// The state now.
    public var currentState: LoadingState<Value> { output.current }

    /// Gives the value. Override it; the default throws an error that names the subclass.
    /// - Throws: any error, which becomes the `failure` state; `CancellationError` counts as cancelled.
    open func fetch() async throws -> Value {
        throw FetchNotOverridden(typeName: "\(type(of: self))")
    }

    /// Loads once; see the rules of the class.
    open func load() async {
        guard !Task.isCancelled, case .run(let load) = machine.started() else { return }
        output.publish(machine.shown)
        // Who was told of it may have cancelled it.
        guard machine.isRunning(load) else { return }
        var scope = LoadScope.loads
        scope[ObjectIdentifier(self)] = load
        let fetching = LoadScope.$loads.withValue(scope) { Task.immediate { try await self.fetch() } }
        fetches[load] = fetching
        // It has begun already, and may have cancelled or reset its own loader.
        if !machine.isRunning(load) { fetching.cancel() }
        let result = await withTaskCancellationHandler {
            await fetching.result
        } onCancel: {
            fetching.cancel()
            Task { @MainActor [weak self] in self?.withdraw(load) }
        }
        fetches[load] = nil
        switch result {
        case .success(let value) where !Task.isCancelled:
            perform { $0.finished(load, with: .loaded(value)) }
        case .failure(let error) where !Task.isCancelled && !(error is CancellationError):
            perform { $0.finished(load, with: .failure(error)) }
        case .success, .failure:
            withdraw(load)
        }
    }

    /// Cancels what runs, drops late results, shows `idle`, and lets ``load()`` work again after ``cancel()``.
    open func reset() {
        perform(cancelsFetches: true) { $0.reset() }
    }

    /// Cancels what runs and returns to the last state that was not `loading`.
    open func cancel() {
        perform(cancelsFetches: true) { $0.cancelled() }
    }

    /// Shows a state from inside ``fetch()``, usually progress.
    ///
    /// It counts only while its own load is the newest that runs: after `cancel()`, `reset()` or a newer load it is dropped. Outside of any
    /// load `loading` is dropped too, because nobody would end it; a subclass that overrides ``load()`` without calling `super` drives its
    /// state itself, and then every update counts until ``cancel()``.
    public func updateState(_ state: LoadingState<Value>) {
        let load = LoadScope.loads[ObjectIdentifier(self)]
        perform { $0.updated(state, by: load) }
    }

    private func withdraw(_ load: UInt64) {
        perform { $0.withdrawn(load) }
    }

    /// Tells observers when all is done: they may call back, and then the newest state is the one that stays.
    private func perform(cancelsFetches: Bool = false, _ event: (inout LoadMachine<Value>) -> LoadMachine<Value>.StateAction) {
        let wasCancelled = machine.isCanceled
        let action = event(&machine)
        if cancelsFetches { for fetching in fetches.values { fetching.cancel() } }
        if machine.isCanceled != wasCancelled { withMutation(keyPath: \.isCanceled) {} }
        switch action {
        case .publish: output.publish(machine.shown)
        case .ignore: break
        }
    }
}

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

/// Which load of which loader the running task works for.
private enum LoadScope {
    /// The load of each loader whose fetch is running further up in this task.
    @TaskLocal static var loads: [ObjectIdentifier: UInt64] = [:]
}
