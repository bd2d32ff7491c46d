//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryWire
import Testing

/// What a frame names more often than there is sense in it is refused before anything is done for it.
@Suite("Bounds of queries for jobs")
struct QueryBoundsTests {
    private let codec = WireCodec()

    /// Whether a front reads a request as it was sent.
    private func isRead(_ body: JobRequest) throws -> Bool {
        let message = ClientMessage.request(
            ClientMessage.Request(number: RequestNumber(3), lowestUnanswered: RequestNumber(3), body: .job(body)))
        return try codec.decodeClient(codec.encode(ClientEnvelope(messages: [message]))).messages == [message]
    }

    @Test(
        "one that names as many further states as there are, or more, is not taken apart",
        arguments: [1, JobState.allCases.count - 1, JobState.allCases.count, 100_000])
    func states(count: Int) throws {
        var query = JobQuery(state: .waiting, limit: 5)
        query.orStates = Array(repeating: .failed, count: count)
        #expect(try isRead(.list(query)) == (count < JobState.allCases.count))
        #expect(try isRead(.bulk(BulkRequest(.cancel, query, isDry: true))) == (count < JobState.allCases.count))
    }
}
