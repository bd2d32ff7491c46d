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
