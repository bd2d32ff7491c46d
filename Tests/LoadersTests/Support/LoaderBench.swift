//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryFeedSettings
import GantryFileCache
import GantryModel
import GantryWorker
import Synchronization
import TestSupport

@testable import GantryFeedLoaders
@testable import Loaders

/// A cache in a folder of its own, removed with the value, and jobs for the loaders over it.
final class LoaderBench: Sendable {
    private let folder: TemporaryFolder
    let cache: FileCache
    let reports = Mutex<[JobProgress]>([])

    init() throws {
        folder = try TemporaryFolder()
        cache = try FileCache(root: folder.path + "/objects")
    }

    var path: String { folder.path }

    static let acceptedAt = WallTime(milliseconds: 1_000_000)

    func work(_ operation: FeedOperation, _ settings: LoaderSettings, key: String = "things", _ change: (inout FeedWork) -> Void = { _ in })
        throws -> FeedWork
    {
        guard let key = FeedKey(text: key) else { throw JSONFault("no key") }
        var work = FeedWork(key: key, operation: operation, settings: try settings.json(), acceptedAt: Self.acceptedAt)
        change(&work)
        return work
    }

    func run(_ loader: any Loader, _ work: FeedWork, job: UInt64 = 7) async throws -> FeedResult {
        let context = JobContext(job: JobID(job), grantedAt: Self.acceptedAt, feedWork: work) { progress in
            self.reports.withLock { $0.append(progress) }
        }
        guard let feed = try await loader.run(context).feed else { throw JSONFault("the loader gave no feed result") }
        return feed
    }

    /// The failure of a job that must fail.
    func failure(_ loader: any Loader, _ work: FeedWork) async -> LoaderFailure? {
        do {
            _ = try await run(loader, work)
            return nil
        } catch {
            return error as? LoaderFailure
        }
    }

    func http(_ port: Int) -> HTTPLoader { HTTPLoader(cache: cache, policy: .local(port)) }

    func items(_ reference: ObjectReference?) throws -> [ListItem] {
        guard let reference else { return [] }
        return try cache.openList(reference.digest).page(offset: 0, limit: 1_000)
    }

    func list(_ items: [ListItem]) throws -> ObjectReference {
        let writer = try cache.makeListWriter(durability: .cached)
        for item in items { try writer.append(item) }
        return try writer.finish()
    }
}

extension HTTPLimits {
    /// Thousands of tests share two processors: the time-outs of users would end loads that only wait for their turn.
    static let patient = HTTPLimits(connectTimeout: .seconds(280), idleTimeout: .seconds(280), totalTimeout: .seconds(280))
}

extension HTTPPolicy {
    static func local(_ port: Int) -> HTTPPolicy {
        HTTPPolicy(allow: AllowedAddress("127.0.0.1:\(port)").map { [$0] } ?? [], limits: .patient)
    }
}

extension LoaderSettings {
    /// A list at a path of 127.0.0.1, with ids at `/id` and titles at `/name`.
    static func at(_ port: Int, _ path: String, items: String = "", _ change: (inout LoaderSettings) -> Void = { _ in }) -> LoaderSettings {
        var settings = manual
        if let url = URLTemplate("http://127.0.0.1:\(port)\(path)"), let items = JSONPointer(items) {
            settings.source = .http(HTTPSource(url: url, items: items))
        }
        change(&settings)
        return settings
    }

    /// No source; a field `price` and an icon.
    static var manual: LoaderSettings {
        var mapping = ItemMapping(id: .at("/id"))
        mapping.title = .at("/name")
        mapping.icon = .at("/icon")
        mapping.fields = [.init(name: "price", path: .at("/price"), type: .number)]
        return LoaderSettings(source: nil, item: mapping, http: .patient)
    }
}

extension JSONPointer {
    static func at(_ text: String) -> JSONPointer { JSONPointer(text) ?? whole }

    private static var whole: JSONPointer { JSONPointer("") ?? at("") }
}
