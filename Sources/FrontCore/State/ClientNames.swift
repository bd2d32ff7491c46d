//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The names of clients for people, of sessions and of the jobs that they asked for, each with an index for records.
///
/// A name is there as long as a session or a job has it, so who asked for a job is told for as long as the job is known, also when the
/// session is over. Its index is then the next new name's.
struct ClientNames {
    private struct Entry {
        var name: String
        /// Sessions and jobs that have it, ended jobs included.
        var uses = 0
    }

    /// The index of no name, which takes no place: of the front itself, and of clients that give none.
    static let none = 0

    private var entries = [Entry(name: "")]
    private var known: [String: Int] = [:]
    private var free: [Int] = []
    /// Bytes of all names with what finds them, about: a crowd with names of their own fills the queue by them.
    private(set) var byteCount = 0

    /// Names in use.
    var count: Int { known.count }

    /// The name behind an index that is in use.
    subscript(index: Int) -> String { entries[index].name }

    /// Counts a use in; the index of the name.
    mutating func add(_ name: String) -> Int {
        guard !name.isEmpty else { return Self.none }
        if let index = known[name] {
            entries[index].uses += 1
            return index
        }
        let index = free.popLast() ?? entries.count
        if index == entries.count { entries.append(Entry(name: name)) } else { entries[index].name = name }
        entries[index].uses = 1
        known[name] = index
        byteCount += name.utf8.count + RoughSize.name
        return index
    }

    /// Counts uses of a name in or out.
    mutating func change(at index: Int, by change: Int) {
        guard index != Self.none else { return }
        entries[index].uses += change
        guard entries[index].uses == 0 else { return }
        known[entries[index].name] = nil
        byteCount -= entries[index].name.utf8.count + RoughSize.name
        entries[index].name = ""
        free.append(index)
    }
}
