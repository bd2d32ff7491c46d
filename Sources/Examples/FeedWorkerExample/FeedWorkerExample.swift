//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryFeedLoaders
import GantryFileCache
import GantryModel
import GantryWorker

/// A worker whose loader `towns` writes a feed from a file of lines such as `ulm;Ulm;128928`.
///
///     FeedWorkerExample DATA
///
/// DATA is the front's data folder: `gantry doctor` prints it.
@main
enum FeedWorkerExample {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 2 else {
            print("usage: FeedWorkerExample DATA    (gantry doctor prints it)")
            return
        }
        let cache = try FileCache(ofFront: arguments[1])
        let configuration = try WorkerConfiguration(ofFront: arguments[1], name: "towns")
        try await Worker(configuration, loaders: .feeds(Towns(), cache: cache)).runUntilSignal()
    }
}

/// Writes the lines of the file that the settings name.
struct Towns: FeedLoader {
    struct Settings: Decodable { let file: String }
    let name = "towns"

    func load(_ feed: FeedLoad, into items: FeedItems) async throws {
        let settings = try feed.settings(Settings.self)
        let file = URL(filePath: settings.file)
        let text = try await feed.blocking { _ in try FileHandle(forReadingFrom: file).readToEnd() }
        let lines = String(decoding: text ?? Data(), as: UTF8.self).split(separator: "\n")
        items.expectedCount = lines.count
        for parts in lines.map({ $0.split(separator: ";").map(String.init) }) where parts.count == 3 {
            try await items.add(FeedItem(id: parts[0], title: parts[1], fields: ["people": .number(Double(parts[2]) ?? 0)]))
        }
    }
}
