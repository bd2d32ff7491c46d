//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMessage.Answers {
    /// Nobody is told anything.
    var isEmpty: Bool { jobs.isEmpty && unknown.isEmpty }

    /// The same outcomes in messages of at most so many rows and, unless one result alone is larger, so many bytes.
    func pieces(rows limit: Int, byteCount byteLimit: Int) -> [FrontMessage.Answers] {
        let byteCount = (jobs.count + unknown.count) * RoughSize.answer + results.count
        if byteCount <= byteLimit, jobs.count <= limit, unknown.count <= limit { return [self] }
        var pieces: [FrontMessage.Answers] = []
        var (row, offset) = (0, 0)
        while row < jobs.count {
            var (end, endOffset) = (row, offset)
            while end < jobs.count, end - row < limit {
                let next = endOffset + Int(lengths[end])
                guard end == row || (end + 1 - row) * RoughSize.answer + next - offset <= byteLimit else { break }
                (end, endOffset) = (end + 1, next)
            }
            var piece = FrontMessage.Answers()
            piece.jobs = Array(jobs[row..<end])
            piece.states = Array(states[row..<end])
            piece.lengths = Array(lengths[row..<end])
            piece.results = Array(results[offset..<endOffset])
            pieces.append(piece)
            (row, offset) = (end, endOffset)
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
