//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryFileCache
import GantryModel
import Testing

@Suite("Attacks on the objects folder")
struct AttackTests {
    private let files = FileManager.default

    @Test("an object that is a symbolic link is never followed, not for reading and not for writing")
    func symbolicLink() throws {
        let folder = try CacheFolder()
        let digest = try folder.list(items(0..<10)).digest
        let outside = folder.path + "/outside"
        try files.moveItem(atPath: folder.file(digest), toPath: outside)
        let before = try Data(contentsOf: URL(fileURLWithPath: outside))
        try files.createSymbolicLink(atPath: folder.file(digest), withDestinationPath: outside)
        #expect(code { _ = try folder.cache.openList(digest) } == .damaged)
        #expect(try folder.list(items(0..<10)).digest == digest)
        #expect(try files.attributesOfItem(atPath: folder.file(digest))[.type] as? FileAttributeType == .typeRegular)
        #expect(try Data(contentsOf: URL(fileURLWithPath: outside)) == before)
        #expect(try folder.cache.openList(digest).count == 10)
    }

    @Test("a folder of objects that is a symbolic link is refused for reading, writing and collecting")
    func linkedFolder() throws {
        let folder = try CacheFolder()
        let digest = try folder.list(items(0..<10)).digest
        let inside = URL(fileURLWithPath: folder.file(digest)).deletingLastPathComponent().path
        try files.moveItem(atPath: inside, toPath: folder.path + "/elsewhere")
        try files.createSymbolicLink(atPath: inside, withDestinationPath: folder.path + "/elsewhere")
        #expect(code { _ = try folder.cache.openList(digest) } == .damaged)
        #expect(code { _ = try folder.list(items(0..<10)) } == .notWritable)
        let report = try folder.cache.collect(keeping: [], olderThan: WallTime(milliseconds: .max / 1_000_000))
        #expect(report.removedObjects == 0)
        #expect(try files.contentsOfDirectory(atPath: folder.path + "/elsewhere").count == 1)
    }

    @Test("an object with a second name is refused, because whoever holds the other name could change it")
    func hardLink() throws {
        let folder = try CacheFolder()
        let digest = try folder.list(items(0..<10)).digest
        try files.linkItem(atPath: folder.file(digest), toPath: folder.path + "/second")
        #expect(code { _ = try folder.cache.openList(digest) } == .damaged)
        #expect(try folder.list(items(0..<10)).digest == digest)
        try Data("changed".utf8).write(to: URL(fileURLWithPath: folder.path + "/second"))
        #expect(try folder.cache.openList(digest).page(offset: 0, limit: 10) == items(0..<10))
    }

    @Test("a folder under an object's name is refused and does not hang or trap anybody")
    func folderAsObject() throws {
        let folder = try CacheFolder()
        let digest = try folder.list(items(0..<10)).digest
        try files.removeItem(atPath: folder.file(digest))
        try files.createDirectory(atPath: folder.file(digest), withIntermediateDirectories: false)
        #expect(code { _ = try folder.cache.openList(digest) } == .folderInPlace)
        #expect(code { _ = try folder.list(items(0..<10)) } != nil)
        _ = try folder.cache.collect(keeping: [], olderThan: WallTime(milliseconds: .max / 1_000_000))
    }

    @Test("a collection leaves alone what is not ours")
    func strangers() throws {
        let folder = try CacheFolder()
        _ = try folder.list(items(0..<10))
        try Data("mine".utf8).write(to: URL(fileURLWithPath: folder.root + "/notes.txt"))
        try files.createDirectory(atPath: folder.root + "/ZZ", withIntermediateDirectories: false)
        try files.createSymbolicLink(atPath: folder.root + "/.adding-0000000000000000", withDestinationPath: "../../x")
        _ = try folder.cache.collect(keeping: [], olderThan: WallTime(milliseconds: .max / 1_000_000))
        let left = try files.contentsOfDirectory(atPath: folder.root)
        #expect(left.contains("notes.txt") && left.contains("ZZ"))
        #expect(!left.contains(".adding-0000000000000000"), "the link itself is removed, never what it points to")
    }
}
