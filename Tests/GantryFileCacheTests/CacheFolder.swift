//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryFileCache
import GantryModel
import TestSupport

/// A cache in a folder of its own, removed with the value.
final class CacheFolder {
    private let folder: TemporaryFolder
    let cache: FileCache

    init(limits: CacheLimits = CacheLimits()) throws {
        folder = try TemporaryFolder()
        cache = try FileCache(root: folder.path + "/objects", limits: limits)
    }

    var path: String { folder.path }

    var root: String { path + "/objects" }

    func file(_ digest: ObjectDigest) -> String {
        let name = String(describing: digest)
        return root + "/" + name.prefix(2) + "/" + name.dropFirst(2)
    }

    /// Names of everything in the folder, files and folders.
    func entries() throws -> [String] { try FileManager.default.subpathsOfDirectory(atPath: root).sorted() }

    func list(_ items: [ListItem], durability: Durability = .cached) throws -> ObjectReference {
        let writer = try cache.makeListWriter(durability: durability)
        for item in items { try writer.append(item) }
        return try writer.finish()
    }

    func change(_ digest: ObjectDigest, _ body: (inout [UInt8]) -> Void) throws {
        let url = URL(fileURLWithPath: file(digest))
        var bytes = try [UInt8](Data(contentsOf: url))
        body(&bytes)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: url.path)
        try Data(bytes).write(to: url)
    }
}

func items(_ range: Range<Int>) -> [ListItem] {
    range.map { number in
        ListItem(
            id: "i\(number)", title: "Item \(number)", createdAt: WallTime(milliseconds: Int64(number) * 1_000),
            fields: [
                .init(name: "price", value: .number(Double(number % 97))), .init(name: "done", value: .bool(number % 2 == 0)),
                .init(name: "note", value: .text("note \(number % 10) of the item")),
            ])
    }
}

func code(_ body: () throws -> Void) -> FileCacheError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? FileCacheError)?.code
    }
}
