//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryClient
import GantryModel
import GantrySettings
import StateFormatting

extension CommandFailure {
    /// What a client's error ends a command with.
    init(_ error: ClientError) {
        self.init(
            ExitStatus(error.code), code: Code(error.code), message: error.summary,
            nextStep: Self.commandAlone(in: error.nextStep), isRetryable: error.isRetryable)
        retryAfter = error.retryAfter > .zero ? error.retryAfter : nil
    }

    /// The command of an advice that has one and no more, such as "see it with `gantry job show 7`": next steps are commands wherever they can be.
    private static func commandAlone(in advice: String) -> String {
        advice.wholeMatch(of: #/[a-z ]+ with `(gantry [^`]+)`/#).map { String($0.output.1) } ?? advice
    }

    /// What an error of a client of that front ends a command with: who was not let in over TCP lacks the token, and a front that runs but
    /// does not answer need not be started.
    init(_ error: ClientError, at place: FrontPlace) {
        if error.code == .notConnected, let front = Self.silentFront(at: place) {
            let (reason, _) = front.silence
            self.init(
                ExitStatus(error.code), code: Code(error.code),
                message: "\(error.summary); a front runs there as process \(front.process) and \(reason)", thenDoctor: true,
                isRetryable: error.isRetryable)
            return
        }
        if error.code == .notConnected, let lack = place.lack {
            self.init(error)
            message += "; \(lack)"
            return
        }
        guard error.code == ClientErrorCode(.notAuthorized), let path = place.tokenPath else {
            self.init(error)
            return
        }
        let known = place.readToken().isEmpty ? "there is none at \(path)" : "the one at \(path) is another front's"
        self.init(
            ExitStatus(error.code), code: Code(error.code),
            message: "the front at \(place.endpoints.requests) asks for its token, and \(known)",
            nextStep: "add --data FOLDER, the data folder of that front")
    }

    /// Asks for something that a front may not know: nothing of that name is found then.
    /// - Parameter command: shows what there is.
    static func ofUnknown(listedBy command: String, _ ask: () async throws -> Void) async throws {
        do { try await ask() } catch let error as ClientError where error.code == ClientErrorCode(.unknownItem) {
            throw CommandFailure(.notFound, code: .notFound, message: error.context, nextStep: command)
        }
    }

    /// Changes a job that has to wait for that: one that is not known is listed, and one that runs or has ended explained.
    static func ofChange(to job: JobID, _ ask: () async throws -> Void) async throws {
        do {
            try await ofUnknown(listedBy: "gantry job list", ask)
        } catch let error as ClientError where error.code == ClientErrorCode(.conflict) {
            throw CommandFailure(.conflict, code: .conflict, message: error.context, nextStep: "gantry job explain \(job)")
        }
    }

    /// The same failure; where it advises to change the configuration, it names the file that the front of this machine has read, or says that
    /// there is none to change.
    func namingConfiguration(of place: FrontPlace) -> CommandFailure {
        let change = "change \(Failure.configurationFile),"
        guard advice.contains(change), let effective = RunningFront(place.folder)?.effective else { return self }
        var failure = self
        let found = try? ConfigurationFile.read(flag: nil, environment: .process)?.file
        failure.advice = advice.replacing(change, with: Self.change(of: effective.file, found: found))
        return failure
    }

    /// What is to be done about the configuration before the front is started again.
    /// - Parameters:
    ///   - file: The one that the front has read; nil: the built-in sample.
    ///   - found: The one that a new start would read; nil: there is none.
    static func change(of file: String?, found: String?) -> String {
        if let file { return "change \(ShellWord.of(file))," }
        guard let found else { return "write a \(Failure.configurationFile) (there is none yet)," }
        return "the front runs with the built-in sample, not with \(ShellWord.of(found)):"
    }

    /// What a command ends with that asks nobody, because no front can answer.
    static func noFront(_ lack: String) -> CommandFailure {
        CommandFailure(
            .notConnected, code: Code(ClientErrorCode.notConnected), message: "no front to ask: \(lack)",
            nextStep: "start one with `gantry up`, or wait for one with --timeout, or name another by its folder (--data, GANTRY_DATA) "
                + "or address (--connect, GANTRY_URL)",
            isRetryable: true)
    }

    /// What a command ends with that asks nobody, because its user may not reach the sockets of the front.
    static func keptOut(by path: String, of owner: String) -> CommandFailure {
        let isOwn = owner == NSUserName()
        return CommandFailure(
            .notConnected, code: Code(ClientErrorCode(.notAuthorized)),
            message: isOwn
                ? "\(path) may not be entered, though it is this user's" : "\(path) belongs to \(owner), and this user may not use it",
            nextStep: isOwn
                ? "chmod u+rwx \(ShellWord.of(path))"
                : "run the command as that user, or name another front by its folder (--data, GANTRY_DATA)")
    }

    /// The front whose sockets a client has asked in vain, if it runs on this machine.
    private static func silentFront(at place: FrontPlace) -> RunningFront? {
        guard place.endpoints.folder != nil else { return nil }
        return RunningFront(place.folder).flatMap { $0.effective == nil ? nil : $0 }
    }

    /// What a failed job or feed ends a command with.
    init(_ failure: Failure, of subject: String, nextStep: String = "") {
        self.init(
            failure.code, message: "\(subject): \(failure.text)", nextStep: nextStep, isRetryable: failure.retryable,
            context: ["failure": failure.id.description])
    }

    /// What a job that did not succeed ends a command with; nil if it did.
    /// - Parameter word: what it was asked for by; nil: what it does.
    init?(_ job: JobSummary, as word: String? = nil) {
        switch job.state {
        case .succeeded, .waiting, .scheduled, .running, .cancelling: return nil
        case .cancelled:
            let by = job.cancel.map { " by \($0.requestedBy)" } ?? ""
            self.init(
                .cancelled, code: .cancelled, message: "job \(job.id) (\(job.subject(as: word))) was cancelled\(by)",
                nextStep: Self.nextStep(afterCancelOf: job))
        case .expired:
            let at = job.options.expiresAt.map { " at \($0.rfc3339)" } ?? ""
            self.init(
                .timedOut, code: .expired, message: "job \(job.id) (\(job.subject(as: word))) expired\(at), before it started",
                nextStep: job.repeatedBy.map { "gantry job show \($0)" } ?? "gantry job retry \(job.id)")
        case .failed, .quarantined:
            let failure = job.failure ?? Failure(code: FailureCode(rawValue: job.state.name), text: "ended as \(job.state.name)")
            self.init(failure, of: "job \(job.id) (\(job.subject(as: word)))", nextStep: Self.nextStep(job, failure))
        }
    }

    /// The failure of a command that could not print which jobs were accepted: they run whatever becomes of it.
    func naming(accepted jobs: [JobID]) -> CommandFailure {
        guard !jobs.isEmpty else { return self }
        var failure = self
        let runs = Self.runs(of: jobs)
        let shown = runs.prefix(Self.runLimit).joined(separator: ", ") + (runs.count > Self.runLimit ? " and others" : "")
        failure.message += "; \(counted(jobs.count, "job")) \(jobs.count == 1 ? "was" : "were") accepted: \(shown)"
        failure.context["jobs"] = shown
        failure.advise("gantry job list")
        return failure
    }

    /// How many runs of ids are named: those of one command mostly are one run, and a million single ids would say nothing.
    private static let runLimit = 100

    /// Ids that follow each other as one text: `7`, `9 to 1008`.
    private static func runs(of jobs: [JobID]) -> [String] {
        var runs: [ClosedRange<UInt64>] = []
        for job in jobs.map(\.rawValue).sorted() {
            if let last = runs.last, last.upperBound + 1 == job {
                runs[runs.count - 1] = last.lowerBound...job
            } else {
                runs.append(job...job)
            }
        }
        return runs.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound) to \($0.upperBound)" }
    }

    /// What helps a list that cannot be read. Whoever reads it has the front check it, which goes back to the newest whole version; a list of
    /// people's own of which there is none has to be given up.
    static func nextStep(afterDamageOf feed: FeedKey) -> String {
        let word = feed.shellWord
        return
            "gantry feed items \(word) again in some seconds: the front checks the list and goes back to a whole version, if there is one. "
            + "If it stays unreadable: gantry feed refresh \(word), or gantry feed reset \(word) --drop-manual, which gives up what people added"
    }

    /// How to do what was cancelled after all.
    private static func nextStep(afterCancelOf job: JobSummary) -> String {
        guard let feed = job.feed, [.load, .merge].contains(job.operation) else { return "gantry job show \(job.id), or do it again" }
        return "gantry feed load \(feed.shellWord)"
    }

    /// How to repeat what failed; what is to be mended before, the failure says itself. The explanation of a job that its workers did not survive, or
    /// of which nobody knows whether it was done, tells more than its failure: to repeat that may do it twice.
    private static func nextStep(_ job: JobSummary, _ failure: Failure) -> String {
        guard job.state == .failed, failure.code != .outcomeUnknown else { return "gantry job explain \(job.id)" }
        let first = failure.retryable ? "" : "correct that, then "
        guard let feed = job.feed else {
            switch failure.code {
            // Once more with the same time, or the same argument, would mostly end the same way.
            case .timedOut: return "gantry job explain \(job.id) tells where its time went; then submit it with more"
            case .invalidData: return first + "submit it again"
            default: return job.repeatedBy.map { "gantry job show \($0)" } ?? first + "gantry job retry \(job.id)"
            }
        }
        if failure.code == .storageFailed, job.operation != .detail { return nextStep(afterDamageOf: feed) }
        switch job.operation {
        // A save that was wrong is made anew; one that only failed is shown to nobody else, so who asked is told its number.
        case .update where failure.code == .unknownItem: return "gantry feed items \(feed.shellWord) lists the items"
        case .create, .update:
            let verb = job.operation == .create ? "create" : "update"
            return failure.retryable
                ? "gantry feed retry \(feed.shellWord) --failure \(failure.id)" : first + "gantry feed \(verb) \(feed.shellWord) again"
        case .load, .merge: return failure.nextStepAtSource(of: feed) ?? first + "gantry feed refresh \(feed.shellWord)"
        // To load the list again reads no detail.
        case .detail where [.storageFailed, .storageFull].contains(failure.code): return first + "gantry feed retry \(feed.shellWord)"
        case .detail where failure.code == .unknownItem: return "gantry feed items \(feed.shellWord) lists the items"
        case .detail: return "correct the source, then gantry feed retry \(feed.shellWord)"
        case .sort, nil: return "gantry job explain \(job.id)"
        }
    }
}

extension CommandFailure {
    /// Ctrl-C of a command that waits for work.
    static let stoppedWaiting = CommandFailure(
        .detached, code: .detached, message: "stopped waiting; the work is not cancelled", nextStep: "gantry watch")
    /// Ctrl-C of a command that waits for jobs.
    static func stoppedWaiting(for jobs: [JobID]) -> CommandFailure {
        var failure = stoppedWaiting
        failure.advise(jobs.count == 1 ? "gantry job wait \(jobs[0]), or gantry job cancel \(jobs[0])" : "gantry job list")
        return failure
    }
    /// Ctrl-C of a command that waits for a feed's load.
    static func stoppedWaiting(for feed: FeedKey) -> CommandFailure {
        var failure = stoppedWaiting
        failure.advise("gantry feed load \(feed.shellWord), or gantry feed cancel \(feed.shellWord)")
        return failure
    }
    /// Ctrl-C of a command that waits until a worker has drained.
    static let stoppedWaitingForDrain = CommandFailure(
        .detached, code: .detached, message: "stopped waiting; the worker takes no new jobs and ends with its last one",
        nextStep: "gantry worker list")
    /// Ctrl-C of a command that waits until an action with many jobs has ended.
    static func stoppedWaiting(forAction action: String) -> CommandFailure {
        CommandFailure(
            .detached, code: .detached, message: "stopped waiting; the front goes on with \(action), also over a restart",
            nextStep: "gantry status")
    }
    /// Ctrl-C before any front has answered.
    static let stoppedConnecting = CommandFailure(
        .detached, code: .detached, message: "stopped before a front answered; nothing was asked of it", thenDoctor: true)
    /// Ctrl-C of a command that looks on.
    static let stoppedWatching = CommandFailure(.detached, code: .detached, message: "stopped watching", nextStep: "gantry status")
    /// A second Ctrl-C: nothing is waited for, nor printed that had come.
    static let stoppedAtOnce = CommandFailure(
        .detached, code: .detached, message: "ended at once by a second signal; what the front has accepted goes on",
        nextStep: "gantry job list")

    /// Ctrl-C while jobs of lines were being submitted: not all of them were.
    static func stoppedSubmitting(lines: Int, accepted: Int) -> CommandFailure {
        CommandFailure(
            .detached, code: .detached,
            message: accepted == 0
                ? "stopped: no line was submitted" : "stopped: \(counted(accepted, "job")) of the lines up to \(lines) accepted",
            nextStep: accepted == 0 ? "submit them again" : "submit the lines behind \(lines)",
            context: ["accepted": String(accepted), "line": String(lines)])
    }

    /// A line that is wrong, with how many jobs of lines before it were submitted.
    func naming(submitted count: Int) -> CommandFailure {
        var named = self
        let before = "\(counted(count, "job")) before it \(count == 1 ? "was" : "were") submitted"
        named.message += "; " + (count == 0 ? "nothing was submitted" : before)
        if count > 0, let line = context["line"] { named.advise("correct line \(line), then submit line \(line) and those after it") }
        named.context["accepted"] = String(count)
        return named
    }

    /// A refusal of jobs of lines, with the line up to which they are accepted.
    func naming(lastLine: Int) -> CommandFailure {
        var named = self
        named.message += lastLine == 0 ? " (nothing was submitted)" : " (the lines up to \(lastLine) were submitted)"
        named.context["line"] = String(lastLine)
        return named
    }

    /// Ctrl-C while jobs were being submitted: not all of them were.
    /// - Parameter isCertain: whether everything that was sent was answered.
    static func stoppedSubmitting(_ accepted: Int, of count: Int, isCertain: Bool) -> CommandFailure {
        let rest =
            isCertain
            ? "the others were not submitted"
            : "the front did not answer in time whether it took the last part, up to \(JobBatch.partCount) jobs, and the others were not submitted"
        let printed = accepted == 0 ? "" : " and \(accepted == 1 ? "its id is" : "their ids are") printed"
        return CommandFailure(
            .detached, code: .detached,
            message: "stopped: \(accepted) of \(counted(count, "job")) \(accepted == 1 ? "was" : "were") accepted\(printed); \(rest)",
            nextStep: isCertain && accepted == 0 ? "submit them again" : "gantry job list",
            context: ["accepted": String(accepted), "asked": String(count)])
    }
}
