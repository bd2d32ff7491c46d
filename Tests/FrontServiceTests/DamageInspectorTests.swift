//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FileCache
import Foundation
import Model
import Synchronization
import Testing

@testable import FrontService

@Suite("The inspector of suspected objects")
struct DamageInspectorTests {
    @Test("a folder that is away for a moment is no damage; an object that stays away is", .timeLimit(.minutes(5)))
    func away() async throws {
        let path = NSTemporaryDirectory() + "gantry-inspect-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let cache = try FileCache(root: path)
        let there = try cache.add([1, 2, 3], durability: .cached).digest
        let gone = ObjectDigest(words: (1, 2, 3, 4))
        let (told, tell) = AsyncStream.makeStream(of: ObjectDigest.self)
        let inspector = try DamageInspector(cache: cache) { tell.yield($0) }
        try inspector.start()
        let folder = path + "/" + there.description.prefix(2)
        try FileManager.default.moveItem(atPath: folder, toPath: folder + "-away")
        inspector.suspect(there)
        inspector.suspect(gone)
        try FileManager.default.moveItem(atPath: folder + "-away", toPath: folder)
        var damaged = told.makeAsyncIterator()
        #expect(await damaged.next() == gone, "the one that is back was read before it")
        inspector.stop(atMost: .seconds(60))
        tell.finish()
        #expect(await damaged.next() == nil)
    }

    @Test(
        "an object of a folder that was copied elsewhere and back is whole; while the folder is away, or empty, its objects are not judged")
    func replaced() throws {
        let path = NSTemporaryDirectory() + "gantry-inspect-" + UUID().uuidString
        let files = FileManager.default
        defer { for end in ["", "-old"] { try? files.removeItem(atPath: path + end) } }
        let cache = try FileCache(root: path)
        let old = try cache.add([1, 2, 3], durability: .cached).digest
        try files.moveItem(atPath: path, toPath: path + "-old")
        #expect(DamageInspector.finding(of: old, in: cache) == .unread)
        try files.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(DamageInspector.finding(of: old, in: cache) == .unread)
        try files.removeItem(atPath: path)
        try files.copyItem(atPath: path + "-old", toPath: path)
        let new = try FileCache(root: path).add([4, 5, 6], durability: .kept).digest
        #expect(DamageInspector.finding(of: new, in: cache) == .whole)
        #expect(DamageInspector.finding(of: old, in: cache) == .whole)
        #expect(DamageInspector.finding(of: ObjectDigest(words: (1, 2, 3, 4)), in: cache) == .failed)
        #expect(DamageInspector.finding(of: old, in: cache, goesOn: { false }) == nil)
    }
}
