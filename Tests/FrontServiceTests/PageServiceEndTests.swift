//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Dispatch
import Foundation
import GantryFileCache
import GantryModel
import GantryWire
import GantryZMQ
import Synchronization
import TestSupport
import Testing

@testable import FrontService

@Suite("The end of the page service", .timeLimit(.minutes(5)))
struct PageServiceEndTests {
    @Test("one that can serve no longer says so, with the reason, and nobody takes it for a fault of the journal")
    func failure() throws {
        let folder = try TemporaryFolder()
        let cache = try FileCache(root: folder.path + "/objects")
        let answered = DispatchSemaphore(value: 0)
        let reason = Mutex<ZMQError?>(nil)
        let service = try PageService(
            onSuspect: { _ in }, onDamage: { _ in }, onMalformed: {},
            onFailure: { error in
                reason.withLock { $0 = error }
                answered.signal()
            })
        let context = try Context()
        #expect(
            try service.start(context: context, endpoint: "inproc://pages", cache: cache, codec: WireCodec()) == .success("inproc://pages"))
        context.shutdown()
        #expect(answered.wait(timeout: .now() + 20) == .success)
        // The data is sound: whoever starts fronts is not sent to look at the journal.
        let error = FrontServiceError(pagesEnded: try #require(reason.withLock { $0 }))
        #expect(error.code == .unavailable && error.cause != nil)
        #expect(error.sentence.hasPrefix("the page service has ended: ") && error.sentence.hasSuffix("start the front again"))
        service.stop(atMost: .seconds(60))
    }

    @Test("a read that hangs does not hold up the end")
    func hung() {
        let run = ThreadRun()
        #expect(run.begin())
        #expect(!run.begin(), "one runs at a time")
        #expect(!run.wait(atMost: .milliseconds(1)))
        run.end()
        #expect(run.wait(atMost: .seconds(60)))
    }
}
