//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryClient
import GantryModel
import GantryPlatform
import StateFormatting

/// Which jobs, on the command line.
struct SelectionOptions: ParsableArguments {
    @Option(name: .long, help: "Only jobs of this loader.")
    var loader = ""

    @Option(name: .long, help: "Only jobs of this feed, by its name or its whole key.")
    var feed = ""

    @Option(name: .long, help: "Only jobs that failed with this code, or whose last attempt did.")
    var code: String?

    @Option(name: .long, help: "Only jobs with this tag; of several they have all.")
    var tag: [String] = []

    @Option(
        name: .long, help: "Only jobs whose state has not changed for so long, for example 90s or 2h.",
        transform: { try TimeLimit(argument: $0) })
    var olderThan: TimeLimit?

    /// The query.
    /// - Throws: `ValidationError` for tags that cannot be.
    func query(limit: UInt32 = JobQuery().limit, before: JobID? = nil) throws -> JobQuery {
        var query = JobQuery(
            loader: loader, feed: feed, code: code.map { FailureCode(rawValue: $0) }, tags: tag, limit: limit, before: before)
        if let code = query.code, !code.isWellFormed, let fault = code.faultOfName { throw ValidationError("--code: \(fault)") }
        if let olderThan {
            query.changedBefore = WallTime(milliseconds: SystemClock.wallMilliseconds()).advanced(by: .zero - olderThan.duration)
        }
        if let fault = query.fault { throw ValidationError(JobOptions(tags: query.tags).fault.map { "--tag: \($0)" } ?? fault) }
        return query
    }

    /// The options that say the same.
    var words: [String] {
        func word(_ name: String, _ value: String) -> [String] { value.isEmpty ? [] : ["--\(name) \(ShellWord.of(value))"] }
        return word("loader", loader) + word("feed", feed) + word("code", code ?? "") + tag.flatMap { word("tag", $0) }
            + (olderThan.map { ["--older-than \($0.text)"] } ?? [])
    }
}

extension JobQuery {
    /// What is to be said where no job was found: of a code or a loader that looks misspelled; nil: nothing does. A loader may have codes of its
    /// own, so none is refused.
    func remark(_ client: GantryClient) async throws -> String? {
        if let remark = codeRemark { return remark }
        guard !loader.isEmpty, try await client.filledPage(JobQuery(loader: loader, limit: 1)).jobs.isEmpty else { return nil }
        return Self.remark(onLoader: loader, offered: Set(try await client.current(.workers).workers.flatMap(\.loaders)).sorted())
    }

    /// The same of the code alone.
    var codeRemark: String? {
        guard let code, !FailureCode.known.contains(code) else { return nil }
        // Where only small and great letters differ one alone can be meant.
        let meant = FailureCode.known.first { $0.rawValue.lowercased() == code.rawValue.lowercased() }
        return meant.map { "there is no failure code \"\(code)\"; did you mean \"\($0)\"?" } ?? code.faultOfName
    }

    /// The same of a loader that no job is of.
    static func remark(onLoader loader: String, offered: [String]) -> String? {
        guard !offered.contains(loader) else { return nil }
        let meant = SpellingDistance.nearest(to: loader, in: offered).map { "; did you mean \"\($0)\"?" } ?? ""
        return "no job and no worker of a loader \"\(loader)\" is known\(meant)"
    }
}

/// In which states jobs are, on the command line.
struct StateOptions: ParsableArguments {
    @Option(
        name: .long, help: "Only jobs in this state; given more than once, or with commas between, in one of these.",
        completion: .list(JobState.allCases.map(\.name)))
    var state: [String] = []

    /// The states, in the order in which jobs go through them; none: all.
    /// - Throws: `ValidationError` with all words that name none.
    func value() throws -> [JobState] {
        let known = JobState.allCases
        let names = state.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
        let wrong = names.filter { name in !known.contains { $0.name == name } }
        guard wrong.isEmpty else {
            let shown = wrong.map { $0.isEmpty ? "\"\"" : $0 }.joined(separator: ", ")
            let all = known.map(\.name).joined(separator: ", ")
            throw ValidationError("no such state\(wrong.count == 1 ? "" : "s"): \(shown); there are \(all)")
        }
        return known.filter { names.contains($0.name) }
    }

    /// The options that say the same.
    var words: [String] { state.map { "--state \(ShellWord.of($0))" } }
}

/// Many jobs, on the command line.
struct ManyJobsOptions: ParsableArguments {
    @OptionGroup var states: StateOptions

    @OptionGroup var selection: SelectionOptions

    @Flag(name: .long, help: "All jobs that it can be done with.")
    var all = false

    @Flag(name: .long, help: "Do it with all jobs that are chosen; without this they are only counted.")
    var yes = false

    /// Which; nil: no option chooses any.
    /// - Throws: `ValidationError` for what cannot be.
    func value() throws -> JobQuery? {
        let query = try selection.query().of(try states.value())
        guard !(query.isSelective && all) else { throw Self.ambiguous }
        return query.isSelective || all ? query : nil
    }

    /// Nothing was chosen.
    static var missing: ValidationError {
        ValidationError("name a job, or choose many with --state, --loader, --feed, --code, --tag, --older-than or --all")
    }

    /// More than one way of choosing was used.
    static var ambiguous: ValidationError { ValidationError("name a job, or choose many by options, or say --all: one of these") }

    /// `--yes` with a job that is named.
    static var needless: ValidationError { ValidationError("--yes is for many jobs: a job that is named needs none") }

    /// The options that say the same.
    var words: [String] { states.words + selection.words + (all ? ["--all"] : []) }
}

/// Jobs that are named, or many, on the command line.
struct JobTargets: ParsableArguments {
    /// What is meant.
    enum Target: Hashable {
        case named([JobID])
        case many(JobQuery)
    }

    @Argument(help: "The ids of the jobs, as `gantry job list` shows them; none where jobs are chosen by the options below.")
    var jobs: [String] = []

    @OptionGroup var many: ManyJobsOptions

    func validate() throws { _ = try NamedJobs.ids(jobs) }

    /// Whether it is to be done with many.
    var yes: Bool { many.yes }

    /// The options that say the same of many.
    var words: [String] { many.words }

    /// What is meant.
    /// - Throws: `ValidationError` for nothing, for both, and for what cannot be.
    func value() throws -> Target {
        let query = try many.value()
        guard query == nil || jobs.isEmpty else { throw ManyJobsOptions.ambiguous }
        if let query { return .many(query) }
        guard !jobs.isEmpty else { throw ManyJobsOptions.missing }
        guard !yes else { throw ManyJobsOptions.needless }
        return .named(try NamedJobs.ids(jobs))
    }
}

/// Jobs that are named on the command line, each once.
struct NamedJobs: ParsableArguments {
    @Argument(help: "The ids of the jobs, as `gantry job list` shows them.")
    var jobs: [String]

    func validate() throws { _ = try ids() }

    /// The jobs.
    /// - Throws: `ValidationError` with all words that are no id, or with all that are named twice.
    func ids() throws -> [JobID] { try Self.ids(jobs) }

    /// The same of words. They are read here and not by the parser, which would name the first that is wrong and leave the others for the next try.
    static func ids(_ words: [String]) throws -> [JobID] {
        let wrong = words.filter { UInt64($0) == nil }
        guard wrong.isEmpty else {
            let (noun, verb) = wrong.count == 1 ? ("value", "is") : ("values", "are")
            let shown = wrong.map { "'\($0)'" }.joined(separator: ", ")
            throw ValidationError("the \(noun) \(shown) \(verb) invalid for '<jobs>': the ids of the jobs, as `gantry job list` shows them")
        }
        let jobs = words.compactMap { UInt64($0) }
        var (seen, twice): (Set<UInt64>, [UInt64]) = ([], [])
        for job in jobs where !seen.insert(job).inserted && !twice.contains(job) { twice.append(job) }
        guard twice.isEmpty else {
            let (noun, verb) = twice.count == 1 ? ("job", "is") : ("jobs", "are")
            throw ValidationError("\(noun) \(twice.map(String.init).joined(separator: ", ")) \(verb) named twice: name each once")
        }
        return jobs.map { JobID($0) }
    }
}

/// Does something with many jobs, or says with how many.
struct BulkRun: Sendable {
    let client: GantryClient
    let options: FrontOptions
    /// What repeats the command with all its options, but `--yes`.
    let command: String

    /// Counts, or acts and waits until nothing is left to do.
    func run(_ action: BulkAction, _ target: JobTargets.Target, isMeant: Bool) async throws {
        guard case .many(let selection) = target else { return }
        guard isMeant else {
            let count = try await client.count(of: selection, for: action)
            if count == 0, let remark = try await selection.remark(client) { options.notice(remark) }
            let json = JSONValue.object(("action", .string(action.word)), ("jobs", .count(count)), ("dry", .bool(true)))
            let line = BulkSummary.line(ofDry: action, with: count, command: command)
            return try options.show(json.text, AdvisedCommand.placing(options.connection.words, in: line))
        }
        // Looked at before: what is published after the answer tells of the action, be it that it has ended by then.
        var states = client.observe(.jobs, limit: 16).makeAsyncIterator()
        var state = try await Self.next(&states)
        let epoch = state?.epoch
        let number = try await client.bulk(action, of: selection)
        let lines = ProgressLines(options.printing, after: .seconds(1))
        var last: BulkSummary?
        while let counts = state?.counts, last?.isFinished != true {
            let bulk = counts.bulkActions.first { $0.number == number }
            // A front that has begun since tells only of what is left.
            if bulk == nil, state?.epoch != epoch { break }
            last = bulk ?? last
            // Its end is the result.
            if let bulk, !bulk.isFinished { lines.show(bulk.line) }
            if last?.isFinished != true { state = try await Self.next(&states) }
        }
        guard !Task.isCancelled || last?.isFinished == true else { throw CommandFailure.stoppedWaiting(forAction: action.word) }
        guard let last else { return try options.show(JSONValue.object(("action", .string(action.word))).text, "\(action.word): done") }
        try options.show(last.json.text, last.line)
    }

    /// The next state of the jobs that is whole; nil: the wait has ended.
    private static func next(_ states: inout TopicStates.Iterator) async throws -> TopicState? {
        while let state = await states.next() {
            if let failure = state.failure { throw failure }
            if state.counts != nil, state.isVerified { return state }
        }
        return nil
    }
}
