//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// The loaders of every worker of a world, in the order of their declarations.
enum SimulatedLoader: Int, CaseIterable {
    /// Takes no time worth naming.
    case noop
    /// Takes a while in a slot, and may run again.
    case slow
    /// Takes a while in a slot, and must never run again.
    case once
    /// Ends its worker.
    case doomed
    /// Loads feeds and details.
    case http
    /// Makes persistent lists and orders.
    case list
    /// No worker has it.
    case absent

    /// What workers offer.
    static let offered = allCases.filter { $0 != .absent }

    /// What a worker says of it.
    func declaration(_ bug: InjectedBug?) -> LoaderDeclaration {
        var reported = declaration
        if bug == .onceReportedRepeatable { reported.repeatable = .yes }
        return reported
    }

    var declaration: LoaderDeclaration {
        switch self {
        case .noop: LoaderDeclaration(name: "noop", isBulk: true)
        case .slow: LoaderDeclaration(name: "slow")
        case .once: LoaderDeclaration(name: "once", repeatable: .no)
        case .doomed: LoaderDeclaration(name: "doomed")
        case .http: LoaderDeclaration(name: "http")
        case .absent: LoaderDeclaration(name: "absent")
        case .list: LoaderDeclaration(name: "list", repeatable: .yes)
        }
    }
}

/// The feeds of every world.
enum Feeds {
    static let definitions: [FeedDefinition] = {
        var items = FeedDefinition(name: "items", sourceLoader: "http")
        items.parameters = [FeedDefinition.Parameter(name: "parameter", defaultValue: "sample")]
        items.loadsOnAttach = true
        items.hasOwnDetails = true
        (items.sourceHost, items.detailHost) = (host(of: .load), host(of: .detail))
        var todos = FeedDefinition(name: "todos", sourceLoader: "http")
        todos.isEditable = true
        todos.sourceHost = host(of: .load)
        var notes = FeedDefinition(name: "notes", sourceLoader: nil)
        notes.isEditable = true
        return [items, todos, notes]
    }()

    static let keys: [FeedKey] = ["items?parameter=sample", "items?parameter=other", "todos", "notes"].compactMap { FeedKey(text: $0) }
    static let views = ["shared", "mine"]

    /// The host that all feeds ask for some work.
    static func host(of operation: FeedOperation) -> String { operation == .detail ? "detail.example" : "shop.example" }
}
