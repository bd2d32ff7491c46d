//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import StateFormatting
import TestSupport
import Testing

@testable import gantry

@Suite("What a reset drops of people's own")
struct ManualItemsTests {
    private func items(_ count: UInt64?) -> ManualItems {
        ManualItems(feed: .named("todos?list=my&state=open"), count: count, version: ContentVersion(3))
    }

    @Test("an item is a person's as its origin says, whatever else it has")
    func origin() {
        func isManual(_ text: String) -> Bool { ManualItems.isManual(Array(text.utf8)) }
        #expect(isManual(#"{"id":"1","title":"a","origin":"manual"}"#) && isManual(#"{"id":"1","title":"a","origin":"edited"}"#))
        #expect(!isManual(#"{"id":"1","title":"\"origin\":\"hand\"}"}"#) && !isManual(#"{"id":"1","title":"hand","done":true}"#))
        #expect(isManual("{"))
    }

    @Test("items of people's own are not dropped by whoever has not said so, nor is a list of theirs that cannot be read")
    func refused() throws {
        #expect(items(0).refusal == nil)
        let failure = try #require(items(2).refusal)
        #expect(failure.status == .conflict && failure.nextStep == "gantry feed reset 'todos?list=my&state=open' --drop-manual")
        #expect(
            failure.message
                == "feed todos?list=my&state=open has 2 items that you made or changed, which no load brings back: nothing was reset")
        #expect(try #require(items(nil).refusal).message.contains("a list of your own that cannot be read"))
    }

    @Test("what was dropped is said with its number, in words and in JSON")
    func answered() {
        #expect(items(0).dropped == nil && items(1).dropped == "1 item made or changed by hand dropped")
        var shown = ShownFeed(FeedState(key: items(2).feed, isEditable: true))
        #expect(!shown.json.text.contains("droppedManualItems"))
        shown.droppedManualItems = 2
        #expect(shown.json.text.contains(#""droppedManualItems":2"#))
    }
}
