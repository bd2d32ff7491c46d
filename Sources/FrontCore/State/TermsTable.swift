//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// The terms of jobs that are known, each kept once; and the labels of the clients in them, each with an index for as long as some terms have it.
struct TermsTable {
    private var terms = Interner(blank: JobTerms())
    /// Labels of clients; a use for each of the terms that have it.
    private(set) var clients = Interner(blank: "")
    /// By the index of terms that of their client's label.
    private var clientIndexes: [UInt32] = [0]

    /// Terms in use, without the blank ones.
    var count: Int { terms.count }
    /// All indexes of terms that were given out.
    var indices: Range<Int> { terms.indices }
    /// Bytes of all terms and labels with what finds them, about.
    var byteCount: Int { terms.byteCount + clients.byteCount }

    /// The terms behind an index that is in use.
    subscript(index: Int) -> JobTerms { terms[index] }

    /// How many jobs have them.
    func uses(at index: Int) -> Int { terms.uses(at: index) }

    /// The index of the label of the client in terms that are in use.
    func client(of index: Int) -> UInt32 { clientIndexes[index] }

    /// Counts a use in; the index of the terms.
    mutating func add(_ value: JobTerms) -> Int {
        let before = terms.count
        let index = terms.add(value, byteCount: value.roughByteCount)
        guard terms.count > before else { return index }
        let client = UInt32(clients.add(value.client, byteCount: value.client.utf8.count))
        if index == clientIndexes.count { clientIndexes.append(client) } else { clientIndexes[index] = client }
        return index
    }

    /// Counts uses of terms in or out.
    mutating func change(at index: Int, by change: Int) {
        let before = terms.count
        terms.change(at: index, by: change)
        guard terms.count < before else { return }
        clients.change(at: Int(clientIndexes[index]), by: -1)
        clientIndexes[index] = 0
    }
}

extension JobTerms {
    /// What they take in memory, about, beside what finds them: a text of more than 15 bytes has a block of its own.
    var roughByteCount: Int {
        guard !options.tags.isEmpty else { return byteCount }
        return byteCount + RoughSize.name + options.tags.count * RoughSize.record
    }
}
