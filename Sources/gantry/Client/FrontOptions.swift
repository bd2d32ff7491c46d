//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Foundation
import GantryClient
import GantryModel
import GantryPlatform
import GantrySettings
import StateFormatting

/// Which front, how to print, how long: for every command that asks a front for something.
struct FrontOptions: ParsableArguments {
    @OptionGroup var connection: ConnectOptions
    @OptionGroup var printing: OutputOptions

    @Option(
        name: .long, parsing: .unconditional,
        help: """
            Maximum wait, for example 30s; then the command ends with 7 if no front has answered, else with 5. Jobs go on. Without it a front is \
            waited for 5 s, and not at all where none was ever started.
            """,
        transform: { try TimeLimit(argument: $0) })
    var timeout: TimeLimit?

    /// Opens a session, runs `body` and sends close. Ctrl-C only takes this client away: the work goes on.
    /// - Parameters:
    ///   - name: under which its jobs share the workers; nil: the one of all commands.
    ///   - leaving: what Ctrl-C means for the user.
    func withClient(
        _ verb: String, as name: String? = nil, resyncs: Bool = true, leaving: CommandFailure = .stoppedWaiting,
        _ body: @escaping @Sendable (GantryClient) async throws -> Void
    ) async throws {
        let place = try connection.place()
        if let failure = failureAtOnce(at: place) { throw failure }
        var options = clientOptions(verb, resyncs: resyncs)
        options.token = place.readToken()
        options.client = name ?? Self.client
        do {
            // From the first moment to the last: a Ctrl-C between two such calls would be lost.
            try await Interruption.detaching(leaving, isJSON: printing.isJSON) { [options, printing] in
                let client: GantryClient
                do { client = try await GantryClient(connect: Endpoint(address: place.endpoints.requests), options: options) } catch {
                    throw Task.isCancelled ? CommandFailure.stoppedConnecting : error
                }
                let notices = Task {
                    var reported = FrontAvailability.answering
                    for await availability in client.availabilityChanges where availability != reported {
                        reported = availability
                        printing.notice(availability.line)
                    }
                }
                defer { notices.cancel() }
                let result: Result<Void, any Error>
                do { result = .success(try await body(client)) } catch { result = .failure(error) }
                await client.close()
                try result.get()
            }
        } catch let error as ClientError {
            throw CommandFailure(error, at: place).namingConfiguration(of: place)
        } catch let failure as CommandFailure {
            throw failure.namingConfiguration(of: place)
        }
    }

    /// What the command ends with before it asks; nil: a front may answer, or the user says how long one that comes is waited for.
    func failureAtOnce(at place: FrontPlace) -> CommandFailure? {
        // No wait lets this user in.
        if let barrier = place.barrier() { return .keptOut(by: barrier.path, of: barrier.owner) }
        return timeout == nil ? place.lack.map { .noFront($0) } : nil
    }

    /// The name under which jobs of commands share the workers.
    private static let client = "gantry"

    /// How the client of a command behaves.
    func clientOptions(_ verb: String, resyncs: Bool) -> ClientOptions {
        var options = ClientOptions(command: verb)
        options.resyncs = resyncs
        if let timeout {
            options.requestTimeout = timeout.duration
            // A front that is being restarted is waited for as long as the user says.
            options.connectTimeout = timeout.duration
        }
        return options
    }

    /// Says something beside the result; a command in it asks the same front.
    func notice(_ text: String) { printing.notice(AdvisedCommand.placing(connection.words, in: text)) }

    /// Prints one value: as a line for people, or as JSON.
    func show(_ json: @autoclosure () -> String, _ text: @autoclosure () -> String) throws {
        try printing.line(printing.isJSON ? json() : text())
    }

    /// Prints a list: a table for people, one JSON object, or one JSON line for each item.
    func show(items: [String], json: @autoclosure () -> String, table: @autoclosure () -> String) throws {
        switch printing.output {
        case .table: try printing.line(table())
        case .json: try printing.line(json())
        // In one piece: a line of its own for each of a million ids takes minutes.
        case .jsonl: if !items.isEmpty { try printing.line(items.joined(separator: "\n")) }
        }
    }
}

extension ClientOptions {
    /// Those of a command, under a label that nobody takes for a job's: `job submit (process 7 on vm)`.
    init(command verb: String) {
        let whole = "\(verb) (process \(ProcessControl.currentID) on \(HostInformation.name)"
        self.init(label: whole.cut(to: MessageBounds.labelByteCount - 1) + ")")
    }
}

extension FrontOptions {
    /// Waits until a job has ended, at most as long as `--timeout` says.
    /// - Throws: `CommandFailure` with 5 when the time is over; the job is not cancelled.
    func wait(for job: JobID, _ client: GantryClient, onChange: (@Sendable (TopicState) -> Void)? = nil) async throws -> JobSummary {
        do throws(ClientError) {
            return try await client.wait(for: job, timeout: timeout?.duration, onChange: onChange)
        } catch {
            guard error.code == .timedOut, let timeout else { throw error }
            throw CommandFailure(
                .timedOut, code: .timedOut, message: "job \(job) has not ended after \(timeout.text); it is not cancelled",
                nextStep: "gantry job show \(job)", isRetryable: true, context: ["job": job.description])
        }
    }

    /// The same, with what becomes of the job meanwhile on standard error.
    /// - Parameters:
    ///   - lines: those of the whole command, which may wait for many jobs; nil: lines of their own.
    ///   - isNamed: whether each line begins with the job.
    ///   - word: what the job was asked for by; nil: what it does.
    func followed(
        _ job: JobID, _ client: GantryClient, _ lines: ProgressLines? = nil, isNamed: Bool = true, as word: String? = nil
    ) async throws -> JobSummary {
        let lines = lines ?? ProgressLines(printing)
        return try await wait(for: job, client) { state in
            guard let summary = state.job, !summary.state.isFinal else { return }
            lines.show(summary, state.progress, prefix: isNamed ? "\(job): " : "", as: word)
        }
    }
}

extension FrontOptions {
    /// Waits for something other than a job, at most as long as `--timeout` says.
    /// - Parameters:
    ///   - lacking: what has not come about when the time is over, for example `worker a has not ended`.
    ///   - nextStep: what to do then.
    /// - Throws: `CommandFailure` with 5 when the time is over.
    func limited<Value: Sendable>(
        _ lacking: String, nextStep: String, _ wait: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard let timeout else { return try await wait() }
        return try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask { try await wait() }
            group.addTask {
                try await Task.sleep(for: timeout.duration)
                throw CommandFailure(
                    .timedOut, code: .timedOut, message: "\(lacking) after \(timeout.text)", nextStep: nextStep, isRetryable: true)
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() else { throw CancellationError() }
            return value
        }
    }
}

/// For commands whose request becomes a job, or ends one.
struct WaitOptions: ParsableArguments {
    @Flag(name: .long, help: "Print the job's id once it is durable and do not wait.")
    var noWait = false
}

/// A command that asks a front for something.
protocol FrontCommand: GantrySubcommand, PlacedCommand {
    /// Which front, how to print, how long.
    var options: FrontOptions { get }
}

extension FrontCommand {
    var printing: OutputOptions { options.printing }
    var places: PlaceOptions { options.connection.places }
    var adviceWords: [String] { options.connection.words }
}

/// A duration on the command line: a whole number and `ms`, `s`, `m`, `h` or `d`, for example `250ms` or `30s`; at most a year.
struct TimeLimit: Hashable, Sendable {
    var duration: Duration
    /// As it was typed, for texts.
    let text: String

    /// - Throws: `ValidationError` that says what is missing; also for none at all, since nothing answers in no time.
    init(argument: String) throws {
        do throws(Quantity.Problem) {
            (duration, text) = (.milliseconds(try Quantity.time.count(of: argument)), argument)
        } catch {
            throw ValidationError("it \(error.context): \(error.nextStep)")
        }
    }
}

/// Ctrl-C of a command that only looks on or waits.
enum Interruption {
    /// Runs work until it ends or Ctrl-C comes; then the work's task is cancelled and the command ends as `leaving` says, or as the work
    /// itself says of its leaving. A second Ctrl-C ends the process at once.
    /// - Parameter isJSON: whether a program reads why the command ended.
    static func detaching(_ leaving: CommandFailure, isJSON: Bool, _ work: @escaping @Sendable () async throws -> Void) async throws {
        let (pressed, input) = AsyncStream.makeStream(of: Void.self)
        let wasPressed = FirstTime()
        let signals = try SignalTaker { _ in
            guard wasPressed.isFirst() else { endAtOnce(isJSON: isJSON) }
            input.yield()
        }
        // Begun when signals are taken, so that none that comes because of it is lost.
        let task = Task { try await work() }
        let canceller = Task { for await _ in pressed { task.cancel() } }
        defer {
            canceller.cancel()
            signals.leave()
        }
        do {
            try await task.value
        } catch let failure as CommandFailure where failure.status == .detached {
            throw failure
        } catch {
            guard task.isCancelled else { throw error }
            throw leaving
        }
    }

    private static func endAtOnce(isJSON: Bool) -> Never {
        let failure = CommandFailure.stoppedAtOnce
        // Queued, for an end at once does not wait for a reader of standard error that stands still.
        ErrorLines.shared.append(ProgressLine.shared.clearing + ErrorReport.forStandardError(failure, isJSON: isJSON))
        ErrorLines.shared.flush(upTo: .milliseconds(100))
        ProcessControl.exitImmediately(code: failure.status.rawValue)
    }
}
