//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// The views of one feed.
struct FeedViews {
    private var machines: [String: ViewMachine] = [:]
    /// Their names in the order in which they came, so that no hash order reaches an action.
    private(set) var names: [String] = []
    /// How many sessions are attached to any of them.
    private(set) var attachmentCount = 0
}

// MARK: Questions

extension FeedViews {
    var count: Int { names.count }

    var isEmpty: Bool { names.isEmpty }

    /// A view as observers see it; nil: it is not there.
    subscript(name: String) -> ViewState? { machines[name]?.state }

    /// A view, to decide what becomes of it; nil: it is not there.
    func machine(_ name: String) -> ViewMachine? { machines[name] }

    /// All of them as observers see them, in no order.
    var states: some Collection<ViewState> { machines.values.lazy.map(\.state) }

    /// Whether what is durable of them is the same.
    func agree(with others: FeedViews) -> Bool {
        count == others.count
            && machines.allSatisfy { name, view in
                others.machines[name].map { $0.state == view.state && $0.selectedAfter == view.selectedAfter } ?? false
            }
    }
}

// MARK: Durable changes, made by entries alone

extension FeedViews {
    /// A view has become another, or is new.
    /// - Returns: what it was; nil: it is new.
    mutating func apply(_ entry: JournalEntry.ViewChanged, _ turn: EntryTurn) -> ViewState? {
        let name = entry.view.name
        guard let old = machines[name]?.state else {
            machines[name] = ViewMachine(entry, turn)
            names.append(name)
            return nil
        }
        machines[name]?.apply(entry, turn)
        return old
    }

    /// A view is forgotten.
    /// - Returns: what it was; nil: there was none.
    mutating func apply(_ entry: JournalEntry.ViewForgotten, _ turn: EntryTurn) -> ViewState? {
        guard let old = machines.removeValue(forKey: entry.view) else { return nil }
        names.removeAll { $0 == entry.view }
        attachmentCount -= old.attachmentCount
        return old.state
    }
}

// MARK: Use

extension FeedViews {
    /// A session is attached to a view.
    mutating func attach(to name: String) {
        guard machines[name] != nil else { return }
        machines[name]?.attach()
        attachmentCount += 1
    }

    /// A session is attached to a view no longer.
    /// - Returns: whether one was.
    mutating func detach(from name: String) -> Bool {
        guard machines[name]?.detach() == true else { return false }
        attachmentCount -= 1
        return true
    }

    /// Somebody names a view. Of names that are refused as views nothing is kept: there is no end of them.
    mutating func noteUse(of name: String, at time: MonotonicTime) { machines[name]?.noteUse(at: time) }
}
