//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Foundation
import FrontService
import GantryModel
import GantryPlatform
import GantrySettings
import StateFormatting
import Synchronization

/// `--ready-fd` and what else a process that is started by another one needs.
struct ReadinessOptions: ParsableArguments {
    @Option(name: .customLong("ready-fd"), help: "Write one JSON line to this descriptor when ready.")
    var descriptor: Int32?

    @Option(name: .customLong("parent"), help: .hidden)
    var parent: Int32?

    @Option(name: .customLong("configuration-fd"), help: .hidden)
    var configurationDescriptor: Int32?

    /// Whether `up` has started this process and has told people already what they should know.
    var isChild: Bool { parent != nil }

    func validate() throws {
        guard let descriptor, !NumberedDescriptor.isOpen(descriptor) else { return }
        throw ValidationError("--ready-fd \(descriptor) is not open: the starting program has to pass it, or leave the option out")
    }

    /// The words of another process's command line without those that mean what that process alone has: its descriptors and its parent. They are
    /// valid there, and need not be here.
    static func removed(from words: [String]) -> [String] {
        var (kept, isValue): ([String], Bool) = ([], false)
        for word in words {
            if isValue {
                isValue = false
            } else if ["--ready-fd", "--parent", "--configuration-fd"].contains(word.prefix { $0 != "=" }) {
                isValue = !word.contains("=")
            } else {
                kept.append(word)
            }
        }
        return kept
    }

    /// The configuration that `up` has read; nil: this process reads its own.
    func configuration() throws -> ConfigurationText? { try configurationDescriptor.map { try SharedConfiguration.read($0) } }

    /// Ends this process with the one that started it.
    func tieToParent() throws {
        guard let parent else { return }
        // The kernel ties the request to the thread that made it, and the threads of the pool go when they are idle.
        let answer = ParentAnswer()
        let asked = try EventSignal()
        let never = try EventSignal()
        _ = try startThread(name: "parent") {
            answer.set(Result { try ProcessControl.dieWithParent(.terminate, expectedParent: parent) })
            asked.signal()
            while true { _ = try? NumberedDescriptor.waitReadable(never.fileDescriptor, upTo: NumberedDescriptor.longestWait) }
        }
        _ = try NumberedDescriptor.waitReadable(asked.fileDescriptor, upTo: .seconds(30))
        guard try answer.isTied else { throw ExitStatus.done.exitCode }
    }

    /// Says that this process is ready, once: where nobody reads the descriptor after its first line it is closed then. A pipe that is full would
    /// hold the caller.
    /// - Parameter goesOn: whether another line may follow, which `up` reads.
    func announce(_ line: ReadyLine, goesOn: Bool = false) {
        guard let descriptor else { return }
        // What was said before, such as the origin's address, stands before what others then say of it.
        ErrorLines.shared.flush(upTo: .milliseconds(200))
        // Who started it may have gone; the process works all the same.
        try? NumberedDescriptor.write(Array((line.json + "\n").utf8), to: descriptor)
        // Standard output may be meant, and stays.
        if descriptor > 2, !(goesOn && isChild) { try? NumberedDescriptor.close(descriptor) }
    }

    /// Says to `up` that this process drains because somebody asked: then it is not started again, whatever way it ends.
    func announceDrain(of worker: String) {
        guard isChild, let descriptor, descriptor > 2 else { return }
        try? NumberedDescriptor.write(Array((ReadyLine(drainingWorker: worker).json + "\n").utf8), to: descriptor)
    }

    /// Says a line to people, unless `up` has started this process, which says such things itself.
    @Sendable func noticeUnlessChild(_ text: String) {
        if !isChild { notice(text) }
    }

    /// One line for people.
    func notice(_ text: String) {
        ErrorLines.shared.append(folding: TextFit.clean(text))
    }
}

/// What a process says when it is ready, and a worker to `up` when it drains, as one line of JSON.
struct ReadyLine {
    private static let draining = "draining"

    private let process: String
    private var event = "ready"
    private var epoch: String?
    private var endpoints: FrontEndpoints?
    private var name: String?
    private var port: Int?
    private var data: String?

    init(_ ready: FrontReady) {
        process = "front"
        epoch = ready.epoch.description
        endpoints = ready.endpoints
    }

    init(worker name: String) {
        process = "worker"
        self.name = name
    }

    init(drainingWorker name: String) {
        self.init(worker: name)
        event = Self.draining
    }

    init(sampleOriginPort: Int) {
        process = "sample-origin"
        port = sampleOriginPort
    }

    init(dataFolder: String, sampleOriginPort: Int?) {
        process = "up"
        data = dataFolder
        port = sampleOriginPort
    }

    /// The line, without its end.
    var json: String {
        let places = endpoints.map { places in
            JSONValue.object(
                ("changes", .string(places.changes)), ("pages", .string(places.pages)), ("requests", .string(places.requests)),
                ("workers", .string(places.workers)))
        }
        return JSONValue.object(
            ("data", data.map { .string($0) }), ("endpoints", places), ("epoch", epoch.map { .string($0) }), ("event", .string(event)),
            ("name", name.map { .string($0) }), ("port", port.map { .whole($0) }), ("process", .string(process))
        ).text
    }

    /// Whether one of these lines of a worker says that it drains.
    static func isDraining(_ lines: [UInt8]) -> Bool {
        struct Line: Decodable { var event: String? }
        return lines.split(separator: UInt8(ascii: "\n")).contains {
            (try? JSONDecoder().decode(Line.self, from: Data($0)))?.event == draining
        }
    }
}

/// Whether this process now ends with its parent, as the thread found out that asked.
private final class ParentAnswer: Sendable {
    private let result = Mutex<Result<Bool, any Error>>(.success(false))

    /// False: the parent has already gone, or nothing was found out.
    var isTied: Bool {
        get throws { try result.withLock { try $0.get() } }
    }

    func set(_ result: Result<Bool, any Error>) { self.result.withLock { $0 = result } }
}

/// What a worker says to who has started it: once that it is ready, and then that it drains.
struct WorkerAnnouncements: Sendable {
    private let readiness: ReadinessOptions
    private let worker: String
    private let announcement = FirstTime()

    init(_ readiness: ReadinessOptions, worker: String) { (self.readiness, self.worker) = (readiness, worker) }

    /// It has registered, for the first time or once more.
    func isRegistered() { if announcement.isFirst() { readiness.announce(ReadyLine(worker: worker), goesOn: true) } }

    /// It drains because somebody asked. One that was never ready holds nothing, and ends by itself: its first line would be taken for that of one
    /// that is ready.
    func drains() { if !announcement.isFirst() { readiness.announceDrain(of: worker) } }
}

/// Says once that something happens for the first time, whoever asks.
final class FirstTime: Sendable {
    private let hasHappened = Atomic(false)

    /// True at the first call only.
    func isFirst() -> Bool { !hasHappened.exchange(true, ordering: .relaxed) }
}
