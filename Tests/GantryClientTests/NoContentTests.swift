//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import GantryClient

@Suite("What is said of a feed without content")
struct NoContentTests {
    private func error(_ failure: Failure?, isEditable: Bool) throws -> ClientError {
        let key = try #require(FeedKey(name: "things"))
        var feed = FeedState(key: key, isEditable: isEditable)
        feed.failure = failure
        return ClientError(noContentOf: key, feed)
    }

    @Test("a load that failed is repeated; of content that turned out damaged the list begins anew, for no repetition brings it back")
    func nextSteps() throws {
        let failed = try error(Failure(code: .loaderFailed, text: "no"), isEditable: true)
        #expect(failed.context == "things has no content yet, for its load failed: no")
        #expect(failed.nextStep == "correct that, then repeat it with `gantry feed retry things`")
        let found = Failure(code: .storageFailed, text: "version 3 is gone", arguments: [Failure.damagedArgument, "abc"])
        let list = try error(found, isEditable: true)
        #expect(list.context == "things has no content: version 3 is gone")
        #expect(list.nextStep.hasPrefix("check the disk, then begin anew: add an item with `gantry feed create things "), "\(list)")
        let loaded = try error(found, isEditable: false)
        #expect(loaded.nextStep == "load it with `gantry feed load things`")
        #expect(try error(nil, isEditable: false).nextStep == "load it with `gantry feed load things`")
    }
}
