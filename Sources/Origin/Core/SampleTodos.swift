//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Thirty todos in the form of dummyjson: `id`, `todo`, `completed`, `userId`, in an object with `todos`, `total`, `skip`, `limit`.
///
/// Beside these each of `createdAt`, `dueAt` (RFC 3339) and `description` is sent for two of three todos, so that every pair
/// of them and their absence occur.
enum SampleTodos {
    static let count = 30
    private static let verbs = ["Paint the", "Repair the", "Visit the", "Draw the", "Measure the", "Clean the"]

    static let list: OriginContent = {
        var json = JSONWriter()
        json.open("{")
        json.key("todos")
        json.open("[")
        for id in 1...count { write(id, into: &json) }
        json.close("]")
        json.field("total", count)
        json.field("skip", 0)
        json.field("limit", count)
        json.close("}")
        return OriginContent(json.bytes)
    }()

    static func todo(_ id: Int) -> OriginContent? {
        guard (1...count).contains(id) else { return nil }
        var json = JSONWriter()
        write(id, into: &json)
        return OriginContent(json.bytes)
    }

    private static func write(_ id: Int, into json: inout JSONWriter) {
        var random = SplitMix64(text: "todos", index: id)
        json.open("{")
        json.field("id", id)
        json.field("todo", random.pick(verbs) + " " + SampleWords.phrase(2, &random).lowercased())
        json.key("completed")
        json.raw(random.pick(0...2) == 0 ? "true" : "false")
        json.field("userId", random.pick(1...100))
        let created = SampleWords.time(months: 1...6, &random)
        let due = SampleWords.time(months: 7...12, &random)
        let description = SampleWords.phrase(8, &random) + "."
        if id % 3 != 0 { json.field("createdAt", created) }
        if id % 3 != 1 { json.field("dueAt", due) }
        if id % 3 != 2 { json.field("description", description) }
        json.close("}")
    }
}
