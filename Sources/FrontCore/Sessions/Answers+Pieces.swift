//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMessage.Answers {
    /// Nobody is told anything.
    var isEmpty: Bool { jobs.isEmpty && unknown.isEmpty }

    /// The same outcomes in messages of at most so many rows and, unless one result alone is larger, so many bytes.
    func pieces(rows limit: Int, byteCount byteLimit: Int) -> [FrontMessage.Answers] {
        let byteCount = (jobs.count + unknown.count) * RoughSize.answer + results.byteCount
        if byteCount <= byteLimit, jobs.count <= limit, unknown.count <= limit { return [self] }
        var pieces: [FrontMessage.Answers] = []
        var start = results.startIndex
        while start < results.endIndex {
            var end = start
            while end < results.endIndex, end.row - start.row < limit {
                let next = results.index(after: end)
                guard end == start || (next.row - start.row) * RoughSize.answer + next.offset - start.offset <= byteLimit else { break }
                end = next
            }
            var piece = FrontMessage.Answers()
            piece.jobs = Array(jobs[start.row..<end.row])
            piece.states = Array(states[start.row..<end.row])
            piece.results.append(contentsOf: results[start..<end])
            pieces.append(piece)
            start = end
        }
        let unknownLimit = max(1, min(limit, byteLimit / RoughSize.answer))
        for start in stride(from: 0, to: unknown.count, by: unknownLimit) {
            var piece = FrontMessage.Answers()
            piece.unknown = Array(unknown[start..<min(start + unknownLimit, unknown.count)])
            pieces.append(piece)
        }
        return pieces
    }
}
