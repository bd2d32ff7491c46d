//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryFileCache
import GantryModel
import GantryPlatform
import Synchronization
import TestSupport
import Testing

@testable import FrontService

@Suite("The inspector of suspected objects")
struct DamageInspectorTests {
    @Test("a folder that is away for a moment is no damage; an object that stays away is", .timeLimit(.minutes(5)))
    func away() async throws {
        let place = try TemporaryFolder()
        let path = place.path + "/objects"
        let cache = try FileCache(root: path)
        let there = try cache.add([1, 2, 3], durability: .cached).digest
        let gone = ObjectDigest(words: (1, 2, 3, 4))
        let (reported, send) = AsyncStream.makeStream(of: ObjectDigest.self)
        let inspector = try DamageInspector(cache: cache) { send.yield($0) }
        try inspector.start()
        let folder = path + "/" + there.description.prefix(2)
        try FileManager.default.moveItem(atPath: folder, toPath: folder + "-away")
        inspector.suspect(there, isPersistent: true)
        inspector.suspect(gone, isPersistent: false)
        try FileManager.default.moveItem(atPath: folder + "-away", toPath: folder)
        var damaged = reported.makeAsyncIterator()
        #expect(await damaged.next() == gone, "the one that is back was read before it")
        inspector.stop(atMost: .seconds(60))
        send.finish()
        #expect(await damaged.next() == nil)
    }

    @Test(
        "an object of a folder that was copied elsewhere and back is whole; while the folder is away, or empty, its objects are not judged")
    func replaced() throws {
        let place = try TemporaryFolder()
        let path = place.path + "/objects"
        let files = FileManager.default
        let cache = try FileCache(root: path)
        let old = try cache.add([1, 2, 3], durability: .cached).digest
        try files.moveItem(atPath: path, toPath: path + "-old")
        #expect(DamageInspector.finding(of: old, in: cache) == .unread)
        try files.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(DamageInspector.finding(of: old, in: cache) == .unread)
        try files.removeItem(atPath: path)
        try files.copyItem(atPath: path + "-old", toPath: path)
        let new = try FileCache(root: path).add([4, 5, 6], durability: .persistent).digest
        #expect(DamageInspector.finding(of: new, in: cache) == .whole)
        #expect(DamageInspector.finding(of: old, in: cache) == .whole)
        #expect(DamageInspector.finding(of: ObjectDigest(words: (1, 2, 3, 4)), in: cache) == .failed(.missing))
        #expect(DamageInspector.finding(of: old, in: cache, goesOn: { false }) == nil)
    }

    @Test("what is not in another folder that has the path, though that one has objects, is not judged")
    func another() throws {
        let place = try TemporaryFolder()
        let path = place.path + "/objects"
        let files = FileManager.default
        let cache = try FileCache(root: path)
        let kept = try cache.add([1, 2, 3], durability: .persistent).digest
        let other = try FileCache(root: place.path + "/other").add([4, 5, 6], durability: .cached).digest
        try files.moveItem(atPath: path, toPath: path + "-old")
        try files.moveItem(atPath: place.path + "/other", toPath: path)
        #expect(DamageInspector.finding(of: kept, in: cache) == .unread)
        #expect(DamageInspector.finding(of: other, in: cache) == .unread, "nothing is read from it either")
        try files.removeItem(atPath: path)
        try files.moveItem(atPath: path + "-old", toPath: path)
        #expect(DamageInspector.finding(of: kept, in: cache) == .whole)
    }

    @Test("a disk that fails at an object says something of it only if the folder's own file can be read from it")
    func failingDisk() throws {
        let place = try TemporaryFolder()
        let path = place.path + "/objects"
        let cache = try FileCache(root: path)
        let object = try cache.add([1, 2, 3], durability: .persistent).digest
        let error = FileCacheError(.ioFailed, "", digest: object, systemError: SystemErrorCode.deviceFailed.rawValue)
        #expect(DamageInspector.finding(after: error, of: object, in: cache) == .failed(.missing))
        try FileManager.default.removeItem(atPath: path + "/.id")
        #expect(DamageInspector.finding(after: error, of: object, in: cache) == .unread)
    }

    @Test("wrong bytes are told with when they were written: a copy that is under way is another each time")
    func wrongBytes() throws {
        let place = try TemporaryFolder()
        let cache = try FileCache(root: place.path + "/objects")
        let object = try cache.add([1, 2, 3], durability: .persistent).digest
        let file = "\(place.path)/objects/\(object.description.prefix(2))/\(object.description.dropFirst(2))"
        try Data([9]).write(to: URL(fileURLWithPath: file))
        for second in [1_000_000.0, 2_000_000.0] {
            try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: second)], ofItemAtPath: file)
            let written = WallTime(milliseconds: Int64(second) * 1_000)
            #expect(DamageInspector.finding(of: object, in: cache) == .failed(.wrong(writtenAt: written)))
        }
    }
}
