//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The options of the jobs of one message, beside its columns: each distinct one once, and which of them each job has.
///
/// Nearly always all jobs have the same. That takes no index, and no entry where they are the usual ones.
package struct JobOptionsColumn: Hashable, Sendable {
    /// The distinct ones; none: all jobs have the usual ones.
    package private(set) var distinct: [JobOptions]
    /// Which of them each job has; none: all jobs have the first.
    package private(set) var indexes: [UInt32] = []

    /// The same ones for all jobs.
    package init(_ options: JobOptions = JobOptions()) { distinct = options == JobOptions() ? [] : [options] }

    /// Those of each job.
    package init(_ rows: some Sequence<JobOptions>) {
        self.init()
        for (row, options) in rows.enumerated() { append(JobOptionsColumn(options), count: 1, after: row) }
    }

    /// Those that each index names. Nil: one of them names none.
    package init?(distinct: [JobOptions], indexes: [UInt32]) {
        guard indexes.allSatisfy({ Int($0) < distinct.count }) else { return nil }
        (self.distinct, self.indexes) = (distinct == [JobOptions()] && indexes.isEmpty ? [] : distinct, indexes)
    }

    /// Those of a job. Beyond the indexes they are the first ones.
    package subscript(row: Int) -> JobOptions { self[index(of: row)] }

    private subscript(index: UInt32) -> JobOptions { distinct.isEmpty ? JobOptions() : distinct[Int(index)] }

    private func index(of row: Int) -> UInt32 { row < indexes.count ? indexes[row] : 0 }

    /// What is wrong with them beside so many jobs, as a sentence; nil: nothing.
    package func fault(ofJobs count: Int) -> String? {
        guard distinct.count <= MessageBounds.distinctOptions else {
            return "jobs submitted together have at most \(MessageBounds.distinctOptions) different options, not \(distinct.count)"
        }
        guard indexes.isEmpty || indexes.count == count else { return "options are named \(indexes.count) times for \(count) jobs" }
        for options in distinct { if let fault = options.fault { return fault } }
        guard count < 2 || !hasUniqueKeys else { return "a job with a unique key is submitted alone, not with \(count - 1) others" }
        return nil
    }

    /// Whether a job has a unique key: no other one travels with it.
    package var hasUniqueKeys: Bool { distinct.contains { $0.uniqueKey != nil } }

    /// Bytes of the texts in the distinct ones.
    package var byteCount: Int { distinct.reduce(0) { $0 + $1.byteCount } }

    /// Their share of a request's fingerprint.
    func add(to print: inout Fingerprint) {
        print.add(UInt64(distinct.count))
        for options in distinct { options.add(to: &print) }
        for index in indexes { print.add(UInt64(index)) }
    }
}

// MARK: Joining

extension JobOptionsColumn {
    /// Others in the place of each distinct one.
    package func map(_ other: (JobOptions) -> JobOptions) -> JobOptionsColumn {
        JobOptionsColumn(distinct: table.map(other), indexes: indexes) ?? self
    }
}

extension JobOptionsColumn {
    /// The distinct ones, the usual ones among them.
    private var table: [JobOptions] { distinct.isEmpty ? [JobOptions()] : distinct }

    /// Whether those of both together are few enough for one message.
    package func hasRoom(for other: JobOptionsColumn) -> Bool {
        if distinct == other.distinct { return true }
        let known = table
        return known.count + other.table.count { !known.contains($0) } <= MessageBounds.distinctOptions
    }

    /// Adds the options of `count` jobs behind those of `own` ones.
    package mutating func append(_ other: JobOptionsColumn, count: Int, after own: Int) {
        guard own > 0 else { return self = other }
        if indexes.isEmpty, other.indexes.isEmpty, self[0] == other[0] { return }
        var known = table
        let places = other.table.map { options in
            if let place = known.firstIndex(of: options) { return UInt32(place) }
            known.append(options)
            return UInt32(known.count - 1)
        }
        distinct = known
        if indexes.isEmpty { indexes = Array(repeating: 0, count: own) }
        if other.indexes.isEmpty {
            indexes.append(contentsOf: repeatElement(places[0], count: count))
        } else {
            indexes.append(contentsOf: other.indexes.map { places[Int($0)] })
        }
    }

    /// Those of some of the jobs.
    package subscript(rows: Range<Int>) -> JobOptionsColumn { indexes.isEmpty ? self : JobOptionsColumn(rows.map { self[$0] }) }
}

// MARK: Walking

extension JobOptionsColumn {
    /// Jobs with the same options one behind the other, in order: one run where all have the same.
    package func runs(of count: Int) -> Runs { Runs(column: self, count: count) }

    /// Goes over the runs, allocates nothing.
    package struct Runs: Sequence, IteratorProtocol {
        fileprivate let column: JobOptionsColumn
        fileprivate let count: Int
        private var row = 0

        fileprivate init(column: JobOptionsColumn, count: Int) { (self.column, self.count) = (column, count) }

        /// The next one.
        package mutating func next() -> (options: JobOptions, rows: Range<Int>)? {
            guard row < count else { return nil }
            let (start, index) = (row, column.index(of: row))
            row = column.indexes.isEmpty ? count : row + 1
            while row < count, column.index(of: row) == index { row += 1 }
            return (column[index], start..<row)
        }
    }
}
