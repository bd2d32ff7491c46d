//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The names of loaders that jobs name or workers offer, each with an index for records.
///
/// A name is there as long as something uses it; its index is then the next new name's. So what one user or worker makes up takes no place
/// from others for longer than its jobs are known or it is registered.
struct LoaderNames {
    private struct Entry {
        var name: String
        /// Jobs that name it, ended ones included.
        var jobs = 0
        /// Declarations of registered workers.
        var declarations = 0
    }

    private var entries: [Entry] = []
    private var known: [String: Int] = [:]
    private var free: [Int] = []
    /// Names that jobs use.
    private var jobNames = 0

    /// Names in use.
    var count: Int { known.count }

    /// All indexes that were given out; what a free one stands for has neither jobs nor workers.
    var indices: Range<Int> { entries.indices }

    /// The name behind an index that is in use.
    subscript(index: Int) -> String { entries[index].name }

    /// The index of a name that is in use.
    func index(of name: String) -> Int? { known[name] }

    /// Whether jobs may name a loader when jobs name no more than `limit` different ones. Those that a worker offers have as many places
    /// beyond: names that were mistyped never keep a loader that is there from being used.
    func admitsJob(of name: String, limit: Int) -> Bool {
        guard let index = known[name] else { return jobNames < limit }
        return entries[index].jobs > 0 || jobNames < 2 * limit
    }

    /// Counts a job in; the index of its loader's name.
    mutating func addJob(_ name: String) -> Int {
        let index = place(name)
        changeJobs(at: index, by: 1)
        return index
    }

    /// Counts jobs of a name in or out.
    mutating func changeJobs(at index: Int, by change: Int) {
        let before = entries[index].jobs
        entries[index].jobs += change
        if before == 0, change > 0 { jobNames += 1 }
        guard entries[index].jobs == 0 else { return }
        if before > 0 { jobNames -= 1 }
        freeIfUnused(index)
    }

    /// Counts what a worker declares in; the index of its loader's name.
    mutating func addDeclaration(_ name: String) -> Int {
        let index = place(name)
        entries[index].declarations += 1
        return index
    }

    /// Counts what a worker declared out.
    mutating func removeDeclaration(_ name: String) {
        guard let index = known[name] else { return }
        entries[index].declarations -= 1
        freeIfUnused(index)
    }

    private mutating func place(_ name: String) -> Int {
        if let index = known[name] { return index }
        let index = free.popLast() ?? entries.count
        if index == entries.count { entries.append(Entry(name: name)) } else { entries[index] = Entry(name: name) }
        known[name] = index
        return index
    }

    private mutating func freeIfUnused(_ index: Int) {
        guard entries[index].jobs == 0, entries[index].declarations == 0 else { return }
        known[entries[index].name] = nil
        entries[index].name = ""
        free.append(index)
    }
}
