//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryClient
import GantryModel
import GantryWorker

/// The kind of job, which the program and the worker share.
struct CountWords: TypedJob {
    struct Result: Codable, Sendable {
        var wordCount: Int
    }

    static let loaderName = "count-words"
    var path: String
    var longerThan: Int?
}

/// The worker's side.
let wordCounter = JobHandler(for: CountWords.self) { job, context in
    let count = try await context.blocking { stop in try countWords(in: job.path, longerThan: job.longerThan ?? 0, stop) }
    return CountWords.Result(wordCount: count)
}

private func countWords(in path: String, longerThan length: Int, _ stop: StopFlag) throws -> Int {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
        throw LoaderFailure(.unreachable, "\(path) cannot be read: name a text that the worker may read")
    }
    var count = 0
    for word in text.split(whereSeparator: \.isWhitespace) {
        try stop.check()
        if word.count > length { count += 1 }
    }
    return count
}

/// The program's side.
enum CountWordsClient {
    /// One job, whose result is waited for.
    static func count(_ client: GantryClient) async throws(ClientError) -> Int {
        let counted = try await client.run(CountWords(path: "README.md"))
        return counted.wordCount
    }

    /// Several jobs at once, whose results are read later.
    static func countAll(_ client: GantryClient, _ paths: [String]) async throws(ClientError) -> Int {
        let jobs = try await client.submit(paths.map { CountWords(path: $0) }, options: JobOptions(tags: ["books"]))
        var wordCount = 0
        for job in jobs { wordCount += try await client.result(of: job).wordCount }
        return wordCount
    }
}
