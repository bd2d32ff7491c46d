//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The names of loaders that jobs name or workers offer, each with an index for records.
///
/// A name is there as long as something uses it; its index is then the next new name's. So what one user or worker makes up takes no place
/// from others for longer than its jobs are known or it is registered.
struct LoaderNames {
    /// A use for each job that names it, ended ones included, and for each declaration of a registered worker.
    private var names = Interner(blank: "")
    /// By the index of a name the jobs among its uses.
    private var jobs: [Int] = [0]
    /// Names that jobs use.
    private var jobNames = 0

    /// Names in use.
    var count: Int { names.count }

    /// All indexes that were given out; what a free one stands for has neither jobs nor workers.
    var indices: Range<Int> { names.indices.dropFirst() }

    /// The name behind an index that is in use.
    subscript(index: Int) -> String { names[index] }

    /// The index of a name that is in use.
    func index(of name: String) -> Int? { names.index(of: name) }

    /// Whether jobs may name a loader when jobs name no more than `limit` different ones. Those that a worker offers have as many places
    /// beyond: names that were mistyped never keep a loader that is there from being used.
    func admitsJob(of name: String, limit: Int) -> Bool {
        guard let index = names.index(of: name) else { return jobNames < limit }
        return jobs[index] > 0 || jobNames < 2 * limit
    }

    /// Counts a job in; the index of its loader's name.
    mutating func addJob(_ name: String) -> Int {
        let index = add(name)
        noteJobs(at: index, by: 1)
        return index
    }

    /// Counts jobs of a name in or out.
    mutating func changeJobs(at index: Int, by change: Int) {
        noteJobs(at: index, by: change)
        names.change(at: index, by: change)
    }

    /// Counts what a worker declares in; the index of its loader's name.
    mutating func addDeclaration(_ name: String) -> Int { add(name) }

    /// Counts what a worker declared out.
    mutating func removeDeclaration(_ name: String) {
        if let index = names.index(of: name) { names.change(at: index, by: -1) }
    }

    private mutating func add(_ name: String) -> Int {
        let index = names.add(name, byteCount: name.utf8.count)
        if index == jobs.count { jobs.append(0) }
        return index
    }

    private mutating func noteJobs(at index: Int, by change: Int) {
        let before = jobs[index]
        jobs[index] += change
        if before == 0, change > 0 { jobNames += 1 }
        if before > 0, jobs[index] == 0 { jobNames -= 1 }
    }
}
