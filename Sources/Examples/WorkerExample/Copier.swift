//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryModel
import GantryWorker
import Logging
import ServiceLifecycle
import UnixSignals

/// Copies a file into a folder.
struct CopyFile: TypedJob {
    struct Result: Codable, Sendable, Equatable {
        var byteCount: Int
    }

    static let loaderName = "copy-file"
    var path: String
}

struct Copier: TypedLoader {
    let folder: String

    func prepare() async throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    func run(_ job: CopyFile, in context: JobContext) async throws -> CopyFile.Result {
        let target = folder + "/" + (job.path as NSString).lastPathComponent
        let draft = target + ".draft"
        context.log("copies \(job.path)")
        do {
            let byteCount = try await context.blocking { stop in try copy(job.path, to: draft, stop) }
            context.report(JobProgress(percent: 90))
            try await context.blocking { _ in try FileManager.default.moveItem(atPath: draft, toPath: target) }
            return CopyFile.Result(byteCount: byteCount)
        } catch is CancellationError where context.cancelReason == .requested {
            try? FileManager.default.removeItem(atPath: draft)
            throw CancellationError()
        }
    }

    private func copy(_ path: String, to draft: String, _ stop: StopFlag) throws -> Int {
        guard let source = FileHandle(forReadingAtPath: path) else {
            throw LoaderFailure(.unreachable, "\(path) cannot be read: name a file that the worker may read")
        }
        guard FileManager.default.createFile(atPath: draft, contents: nil), let target = FileHandle(forWritingAtPath: draft) else {
            throw LoaderFailure(.storageFailed, "\(draft) cannot be written: check the folder", retryable: true)
        }
        defer { try? target.close() }
        var byteCount = 0
        while true {
            if stop.isRaised {
                try FileManager.default.removeItem(atPath: draft)
                throw CancellationError()
            }
            guard let part = try source.read(upToCount: 64 << 10), !part.isEmpty else { break }
            try target.write(contentsOf: part)
            byteCount += part.count
        }
        return byteCount
    }
}

struct Shout: BulkLoader {
    let name = "shout-text"

    func run(_ jobs: BulkJobs, into outcomes: inout BulkOutcomes) {
        for job in jobs { outcomes.succeed(ArraySlice(String(decoding: job.argument, as: UTF8.self).uppercased().utf8)) }
    }
}

/// A worker that is one of a program's services; it ends after its last job when the process gets SIGINT or SIGTERM.
func runUntilTermination(_ configuration: WorkerConfiguration, logger: Logger) async throws {
    let worker = try Worker(configuration, loaders: [Greeter()], logger: logger)
    let service = ServiceGroupConfiguration.ServiceConfiguration(service: worker, successTerminationBehavior: .gracefullyShutdownGroup)
    let services = ServiceGroupConfiguration(services: [service], gracefulShutdownSignals: [.sigint, .sigterm], logger: logger)
    try await ServiceGroup(configuration: services).run()
}

/// A pool for calls of one kind, which must not take the places of all others.
func size(of path: String, _ archives: BlockingPool = BlockingPool(name: "archives", limit: 16)) async throws -> Int {
    try await archives.run { _ in try FileManager.default.subpathsOfDirectory(atPath: path).count }
}
