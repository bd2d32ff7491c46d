//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// The feeds of every world.
enum Feeds {
    static let definitions: [FeedDefinition] = {
        var items = FeedDefinition(name: "items", sourceLoader: "http")
        items.parameters = [FeedDefinition.Parameter(name: "parameter", defaultValue: "sample")]
        items.loadsOnAttach = true
        items.hasDetailAddress = true
        var todos = FeedDefinition(name: "todos", sourceLoader: "http")
        todos.isEditable = true
        var notes = FeedDefinition(name: "notes", sourceLoader: nil)
        notes.isEditable = true
        return [items, todos, notes]
    }()

    static let keys: [FeedKey] = ["items?parameter=sample", "items?parameter=other", "todos", "notes"].compactMap { FeedKey(text: $0) }
    static let views = ["shared", "mine"]
}
