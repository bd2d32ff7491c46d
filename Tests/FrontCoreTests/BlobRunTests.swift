//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Testing

@testable import FrontCore

@Suite("Blobs that are copied together")
struct BlobRunTests {
    private func joins(_ next: BlobReference, behind first: BlobReference) -> Bool {
        var run = BlobRun()
        return run.join(first) && run.join(next)
    }

    @Test("only what lies right behind the others in the same chunk joins them; what has no bytes always does")
    func neighbors() {
        let first = BlobReference(chunk: 1, offset: 8, byteCount: 4)
        #expect(joins(BlobReference(chunk: 1, offset: 12, byteCount: 4), behind: first))
        #expect(!joins(BlobReference(chunk: 2, offset: 12, byteCount: 4), behind: first))
        #expect(!joins(BlobReference(chunk: 1, offset: 13, byteCount: 4), behind: first))
        #expect(joins(.empty, behind: first))
        #expect(joins(first, behind: .empty))
    }
}
