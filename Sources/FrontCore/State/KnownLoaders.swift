//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

// Which loaders jobs may name: those that a worker has offered lately, and those that the configuration names.
extension FrontTurn {
    /// A worker offers its loaders now, or has until now: it registers, or is forgotten.
    mutating func noteOffered(by worker: Int) {
        guard settings.refusesUnknownLoaders, let loaders = state.workers[worker]?.registration.loaders, !loaders.isEmpty else { return }
        step(loaders.count)
        let note = state.workers.offered.note(of: loaders.map(\.name), at: now.wall, limit: settings.bounds.offeredLoaders)
        guard let note else { return }
        // Which is the oldest is looked for among all of them.
        step(state.workers.offered.count)
        record(.loadersOffered(note))
    }

    /// Whether jobs may name a loader.
    mutating func knows(loader: String) -> Bool {
        if state.workers.offered.knows(loader, at: now.wall) || configuredLoaders.contains(loader) { return true }
        // A worker may have registered long ago.
        step(state.workers.count)
        return state.workers.all.contains { worker in worker.registration.loaders.contains { $0.name == loader } }
    }

    /// The known loader whose name is most like that; nil: none is like it.
    mutating func nearestLoader(to name: String) -> String? {
        nearest(to: name, among: configuredLoaders.union(state.workers.offered.known(at: now.wall)))
    }

    /// The name that is most like that; nil: none is like it.
    mutating func nearest(to name: String, among known: Set<String>) -> String? {
        let length = name.utf8.count
        let alike = known.filter { abs($0.utf8.count - length) <= max(2, length / 2) }.sorted().prefix(Self.namesCompared)
        step(known.count + alike.reduce(0) { $0 + 1 + $1.utf8.count * length / Self.lettersPerStep })
        return SpellingDistance.nearest(to: name, in: Array(alike))
    }

    /// Names that one refusal is compared with: each is some thousand comparisons of letters, and a client may mistype as often as it likes.
    private static var namesCompared: Int { 128 }
    /// Pairs of letters that are compared in the time of a step.
    private static var lettersPerStep: Int { 50 }
}
