//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Draws the four states of a loader and follows it while it is on the screen.
///
/// ```swift
/// LoadingView(loader: loader) { data in
///     Text(data)
/// }
/// .emptyView {
///     Text("No data")
/// }
/// .errorView { error in
///     Text(error.localizedDescription)
/// }
/// ```
///
/// - `idle` draws the empty view, or nothing.
/// - `loading` draws the progress view; without one, percent, message and cancellation status, and nothing for `loading(nil)`.
/// - `loaded` draws the content. `failure` draws the error view, or the error's localized description.
///
/// When it appears it draws the loader's current state, so a state survives that its view went away and came back, and it loads when that
/// state is `idle` or `failure` (unless `loadOnAppear` is false). When it disappears the loader goes on; see ``onDisappear(_:)``.
public struct LoadingView<L: Loadable>: View {
    private let loader: L
    private let loadOnAppear: Bool
    private let content: @MainActor (L.Value) -> ViewGroup
    private var empty: (@MainActor () -> ViewGroup)?
    private var progress: (@MainActor (LoadingProgress?) -> ViewGroup)?
    private var failure: (@MainActor (any Error & Sendable) -> ViewGroup)?
    private var disappear: @MainActor () -> Void = {}

    /// Creates a view of a loader.
    /// - Parameters:
    ///   - loader: what to show. It is not owned: keep it where it outlives the view.
    ///   - loadOnAppear: whether to load when the view appears while the state is `idle` or `failure`.
    ///   - content: draws a loaded value.
    public init(loader: L, loadOnAppear: Bool = true, @ViewBuilder content: @escaping @MainActor (L.Value) -> ViewGroup) {
        self.loader = loader
        self.loadOnAppear = loadOnAppear
        self.content = content
    }

    /// Draws these views while the state is `idle`.
    public func emptyView(@ViewBuilder _ view: @escaping @MainActor () -> ViewGroup) -> Self {
        var copy = self
        copy.empty = view
        return copy
    }

    /// Draws these views while the state is `loading`, also without progress.
    public func progressView(@ViewBuilder _ view: @escaping @MainActor (LoadingProgress?) -> ViewGroup) -> Self {
        var copy = self
        copy.progress = view
        return copy
    }

    /// Draws these views while the state is `failure`; they receive the error as it was thrown.
    public func errorView(@ViewBuilder _ view: @escaping @MainActor (any Error & Sendable) -> ViewGroup) -> Self {
        var copy = self
        copy.failure = view
        return copy
    }

    /// Runs when the view is no longer on the screen, for example to cancel the loader.
    public func onDisappear(_ action: @escaping @MainActor () -> Void) -> Self {
        var copy = self
        let before = disappear
        copy.disappear = {
            before()
            action()
        }
        return copy
    }

    /// Draws the loader's current state.
    public func render(into canvas: inout Canvas) {
        let (loader, loadOnAppear) = (loader, loadOnAppear)
        let identity = L.self is AnyObject.Type ? ObjectIdentifier(loader as AnyObject) : nil
        canvas.attach(
            loader: identity,
            appear: { changed in
                if loadOnAppear, Self.loadsWhenAppearing(in: loader.currentState) { Task { await loader.loadIfNotLoading() } }
                let states = loader.state
                return Task { for await _ in states { changed() } }
            },
            disappear: disappear)
        canvas.descend(to: 0) { views(for: loader.currentState).render(into: &$0) }
    }

    private static func loadsWhenAppearing(in state: LoadingState<L.Value>) -> Bool {
        switch state {
        case .idle, .failure: true
        case .loading, .loaded: false
        }
    }

    private func views(for state: LoadingState<L.Value>) -> ViewGroup {
        switch state {
        case .idle: empty?() ?? ViewGroup([])
        case .loading(let value): progress?(value) ?? value.map(Self.defaultProgress) ?? ViewGroup([])
        case .loaded(let value): content(value)
        case .failure(let error): failure?(error.error) ?? ViewGroup([Text("Error: \(error.localizedDescription)")])
        }
    }

    private static func defaultProgress(_ progress: LoadingProgress) -> ViewGroup {
        let percent = progress.percent.map { "\($0)%" }
        let status = progress.isCanceled == true ? "(canceled)" : nil
        let parts = [ProgressView(percent: progress.percent).bar, percent, progress.message, status]
        return ViewGroup([Text(parts.compactMap { $0 }.joined(separator: " "))])
    }
}
