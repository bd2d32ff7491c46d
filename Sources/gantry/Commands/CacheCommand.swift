//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import FrontService
import GantryClient
import GantryFileCache
import GantryModel
import GantryPlatform
import GantrySettings
import StateFormatting

/// `gantry cache`: looks at the objects that workers add and pages are read from.
struct CacheCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache", abstract: "List and check the objects of the shared file cache.",
        discussion: "Example: gantry cache list", subcommands: [CacheList.self, CacheShow.self])
}

/// `gantry cache list`: what the objects folder has, and which feeds name it.
struct CacheList: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the objects, largest first, with the feeds that name them.",
        discussion: """
            An object is named by a feed whose content it is, and by the view `shared` of a feed that is read by it. One without a name \
            here is an older version, belongs to another view or to a job, or is an orphan: the front removes orphans some minutes \
            after they were added.

            Example: gantry cache list --output json
            """)

    @OptionGroup var options: FrontOptions

    func run() async throws {
        let (options, folder) = (options, try options.connection.place().folder)
        try await options.withClient("cache list") { client in
            let cache = try await CachedObjects(client, folder: folder.objects)
            let now = WallTime(milliseconds: SystemClock.wallMilliseconds())
            let columns = options.printing.columns
            var table = TextTable("digest", "bytes", "added", "named by")
            for entry in cache.objects {
                let digest = entry.object.digest.description
                table.add(
                    columns == nil ? digest : String(digest.prefix(12)), entry.object.byteCount.grouped,
                    "\(entry.age(at: now)) ago", entry.namedBy.isEmpty ? "-" : entry.namedBy.joined(separator: " "))
            }
            try options.show(
                items: cache.objects.map { CachedObject.shape.json($0).text }, json: CachedObjects.shape.json(cache).text,
                table: table.text(columns: columns))
            let unnamed = cache.objects.count { $0.namedBy.isEmpty }
            options.notice("\(counted(cache.objects.count, "object")), \(cache.byteCount.grouped) bytes, \(unnamed) without a name")
        }
    }
}

/// `gantry cache show`: reads the whole object and checks each of its blocks.
struct CacheShow: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show an object, and read and check all of it.",
        discussion: "Example: gantry cache show 0123456789ab")

    @Argument(help: "The object's digest, or as many of its first digits as no other has.")
    var digest: String

    @OptionGroup var options: FrontOptions

    func run() async throws {
        let (options, folder, digest) = (options, try options.connection.place().folder, digest)
        try await options.withClient("cache show") { client in
            let entry = try await CachedObjects(client, folder: folder.objects).object(beginning: digest)
            do {
                let cache = try FileCache(root: folder.objects, note: FileCache.note(ofFront: folder.path))
                try cache.verify(entry.object.digest)
            } catch let error as FileCacheError {
                throw CommandFailure(
                    .invalidData, code: .invalidData, message: "object \(entry.object.digest): \(error.sentence)",
                    nextStep: entry.namedBy.first.map { "gantry feed show \(ShellWord.of($0))" } ?? "gantry cache list")
            }
            let names = entry.namedBy.joined(separator: " ")
            try options.show(
                CachedObject.shape.json(entry).text,
                "\(entry.object.digest): whole, \(counted(entry.object.byteCount, "byte")), added \(entry.object.addedAt.rfc3339), "
                    + (names.isEmpty ? "no live feed or shared view uses it" : "named by \(names)"))
        }
    }
}

/// An object of the cache, and who names it.
struct CachedObject: Sendable {
    let object: StoredObject
    /// What names it, as far as clients can see: `products` (its content), `products/shared` (its order or a detail).
    var namedBy: [String] = []

    /// How long ago it was added, in the largest unit that fills once.
    func age(at now: WallTime) -> String {
        let seconds = max(.zero, now.duration(since: object.addedAt)).components.seconds
        let units: [(length: Int64, name: String)] = [(86_400, "d"), (3_600, "h"), (60, "min")]
        let unit = units.first { seconds >= $0.length } ?? (1, "s")
        return "\(seconds / unit.length) \(unit.name)"
    }

    static let shape = JSONShape<CachedObject>(
        "object", "An object of the shared file cache.",
        [
            .always("digest", .digest, "Its name.") { $0.object.digest },
            .always("byteCount", .count, "Bytes of its file.") { $0.object.byteCount },
            .always("addedAt", .time, "When it was added last.") { $0.object.addedAt },
            .always(
                "namedBy", .list(of: .text),
                "Live feeds whose content it is, and views `FEED/shared` that are read by it. None: an older version, of another view, or an orphan."
            ) { $0.namedBy },
        ])
}

/// The objects of a cache, largest first.
struct CachedObjects: Sendable {
    var objects: [CachedObject]

    /// Bytes of all of them.
    var byteCount: UInt64 { objects.reduce(0) { $0 + $1.object.byteCount } }

    /// Looks at the folder of a front, and asks the front which feeds name what.
    init(_ client: GantryClient, folder: String) async throws {
        var names: [ObjectDigest: [String]] = [:]
        for feed in try await client.listFeeds() {
            guard let content = feed.content else { continue }
            names[content.object.digest, default: []].append(feed.key.text)
            guard let view = try await Self.sharedView(of: feed.key, client) else { continue }
            for digest in view.objectsOfItsOwn { names[digest, default: []].append("\(feed.key.text)/\(view.name)") }
        }
        objects = try FileCache.objects(at: folder).map { CachedObject(object: $0, namedBy: names[$0.digest] ?? []) }
            .sorted { ($1.object.byteCount, $0.object.digest) < ($0.object.byteCount, $1.object.digest) }
    }

    /// The shared view of a feed; nil: there is none, or the feed is in the list still and in the configuration no longer.
    private static func sharedView(of key: FeedKey, _ client: GantryClient) async throws -> ViewState? {
        do {
            return try await client.current(.view(key, ViewName.shared)).view
        } catch {
            guard error.code == ClientErrorCode(.unknownFeed) else { throw error }
            return nil
        }
    }

    /// The object whose digest begins so.
    /// - Throws: `CommandFailure` with 6 where there is none, with 9 where several do.
    func object(beginning text: String) throws -> CachedObject {
        let found = objects.filter { $0.object.digest.description.hasPrefix(text.lowercased()) }
        guard let first = found.first else {
            throw CommandFailure(
                .notFound, code: .notFound, message: "the cache has no object \"\(text)\"", nextStep: "gantry cache list")
        }
        guard found.count == 1 else {
            throw CommandFailure(
                .conflict, code: .conflict, message: "\(found.count) objects begin with \"\(text)\"",
                nextStep: "give more digits of the digest: gantry cache list")
        }
        return first
    }

    static let shape = JSONShape<CachedObjects>(
        "objects", "The objects of the shared file cache.",
        [
            .always("items", .list(of: .shape(CachedObject.shape)), "Largest first.") { $0.objects },
            .always("byteCount", .count, "Bytes of all of them.") { $0.byteCount },
        ])
}

extension ViewState {
    /// The objects that it is read by beside its feed's content.
    fileprivate var objectsOfItsOwn: [ObjectDigest] {
        var digests = revision?.order.map { [$0.digest] } ?? []
        if case .stored(let object) = detail { digests.append(object.digest) }
        return digests
    }
}
