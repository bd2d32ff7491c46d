//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Foundation
import GantryModel
import GantryPlatform
import StateFormatting
import Synchronization

/// How a failure is written on standard error.
enum ErrorReport {
    /// For whoever reads standard error: a program, or people at a terminal that is so wide.
    static func forStandardError(_ failure: CommandFailure, isJSON: Bool) -> String {
        guard !isJSON else { return json(failure) }
        let style = TextStyle.of(2, environment: ProcessInfo.processInfo.environment)
        return text(failure, style: style, columns: NumberedDescriptor.terminalSize(2)?.columns)
    }

    /// For people: the message, and the next step on a line of its own. What a user wished is no error: a cancel, or leaving with Ctrl-C.
    /// - Parameter columns: how wide the terminal is; nil: there is none.
    static func text(_ failure: CommandFailure, style: TextStyle, columns: Int? = nil) -> String {
        let isRequested = failure.status == .cancelled || failure.status == .detached
        let first = (isRequested ? "" : style.bold("error:") + " ") + failure.message
        let usage = failure.usage.isEmpty ? "" : "\n" + style.bold("usage:") + " " + failure.usage
        let head = first + usage
        let whole = failure.nextStep.isEmpty ? head : head + "\n" + style.bold("next:") + "  " + failure.nextStep
        let text = TextFit.clean(whole)
        return columns.map { TextFit.fold(text, columns: $0) } ?? text
    }

    /// For programs: `{"error":{"code","message","nextStep","retryable","retryAfterSeconds","context"}}` on one line.
    static func json(_ failure: CommandFailure) -> String { shape.json(failure).text }

    static let shape = JSONShape<CommandFailure>(
        "error", "Why a command did not do what was asked, on its standard error.",
        [.always("error", .inline(body), "The failure.") { $0 }])

    private static let body = JSONShape<CommandFailure>(
        "failure", "Why a command did not do what was asked.",
        [
            .always("code", .text, "The kind of failure, a word of the protocol's table or of the program.") { $0.code.rawValue },
            .sometimes("context", .texts, "The feed and the job, for example.") {
                $0.context.isEmpty ? nil : $0.context.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, text: $0.value) }
            },
            .always("message", .text, "One sentence.") { $0.message },
            .sometimes("nextStep", .text, "The command that helps.") { $0.nextStep.isEmpty ? nil : $0.nextStep },
            .always("retryable", .bool, "Whether the same command may succeed later.") { $0.isRetryable },
            .sometimes("retryAfterSeconds", .number, "In how long that may be at the earliest, where the front says so.") {
                $0.retryAfter?.inSeconds
            },
        ])
}

/// Bold words of errors at a terminal; nothing for pipes, files and `NO_COLOR` (https://no-color.org). Results are plain.
struct TextStyle: Hashable {
    var isColored: Bool

    /// The style for a descriptor of this process, 2 for errors.
    static func of(_ descriptor: Int32, environment: [String: String]) -> TextStyle {
        let isForbidden = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        let isDumb = environment["TERM"] == "dumb"
        return TextStyle(isColored: !isForbidden && !isDumb && NumberedDescriptor.isTerminal(descriptor))
    }

    func bold(_ text: String) -> String { isColored ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
}

/// Lines of a long-running process on their way to its standard error, written by a thread of their own: a terminal that is held with
/// Ctrl-S, or a pipe that nobody reads, must not stop the thread that decides, renews leases or listens to signals.
final class ErrorLines: Sendable {
    /// What waits at most, in bytes; lines beyond it are left out and counted.
    static let byteLimit = 256 << 10
    /// Those of this process.
    static let shared = ErrorLines(descriptor: 2)

    private struct State {
        var waiting: [UInt8] = []
        var omitted = 0
        /// Whether the thread holds bytes that are not written yet.
        var isWriting = false
        var hasThread = false
    }

    private let descriptor: Int32
    private let state = Mutex(State())
    private let wake = try? EventSignal()
    private let written = try? EventSignal()

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Queues a line for people: a terminal need not break it.
    func append(folding line: String) {
        append(NumberedDescriptor.terminalSize(descriptor).map { TextFit.fold(line, columns: $0.columns) } ?? line)
    }

    /// Queues a line, without its end; never blocks.
    func append(_ line: String) {
        let needsThread = state.withLock { state in
            if state.waiting.count + line.utf8.count > Self.byteLimit {
                state.omitted += 1
            } else {
                if state.omitted > 0 {
                    state.waiting += Array("(\(state.omitted) lines are left out: nobody read them)\n".utf8)
                    state.omitted = 0
                }
                state.waiting += Array((line + "\n").utf8)
            }
            defer { state.hasThread = true }
            return !state.hasThread
        }
        if needsThread { startWriting() }
        wake?.signal()
    }

    /// Waits until everything is written, or a while; for the end of the process.
    func flush(upTo limit: Duration = .seconds(1)) {
        written?.drain()
        let isDone = state.withLock { $0.waiting.isEmpty && !$0.isWriting }
        guard !isDone, let written else { return }
        _ = try? NumberedDescriptor.waitReadable(written.fileDescriptor, upTo: limit)
    }

    private func startWriting() {
        do {
            _ = try startThread(name: "error lines") { self.writeForEver() }
        } catch {
            // Without a thread nothing else would write them; the next line tries again to get one.
            state.withLock { $0.hasThread = false }
            write()
        }
    }

    private func writeForEver() {
        guard let wake else { return }
        while true {
            _ = try? NumberedDescriptor.waitReadable(wake.fileDescriptor, upTo: NumberedDescriptor.longestWait)
            wake.drain()
            write()
        }
    }

    /// Writes what waits, until nothing does.
    private func write() {
        while true {
            let bytes = state.withLock { state in
                defer { state.waiting = [] }
                state.isWriting = !state.waiting.isEmpty
                return state.waiting
            }
            guard !bytes.isEmpty else { break }
            // Nobody can be told that standard error is closed.
            try? NumberedDescriptor.write(bytes, to: descriptor)
        }
        written?.signal()
    }
}

/// What the parser says of a command line, in the style of this program's own sentences: in small letters, without a full stop.
enum ParserSentence {
    /// With what the parser begins the line of the help of an option.
    private static let helpMark = "Help:  "

    /// What is wrong with a command line. Of a value that is none the parser says only that, unless there are only some: what it may be stands in
    /// the help of its option.
    static func of(_ error: any Error, in options: any ParsableArguments.Type) -> String {
        let message = options.message(for: error)
        // The parser's own text ends with the usage of whatever command it had come to.
        let sentence = plain(message.split(separator: "\nUsage: ", maxSplits: 1).first.map(String.init) ?? message)
        let isAlone = sentence.contains(" is invalid for '") && sentence.hasSuffix("'") && !sentence.contains("; give one of '")
        guard isAlone else { return sentence }
        // The name of the option with its value, two blanks, and what its help says.
        let help = options.fullMessage(for: error).split(separator: "\n").first { $0.hasPrefix(helpMark) }?.dropFirst(helpMark.count)
        guard let help, let gap = help.firstRange(of: "  ") else { return sentence }
        let about = plain(String(help[gap.upperBound...]))
        return about.isEmpty ? sentence : "\(sentence): \(about)"
    }

    static func plain(_ text: String) -> String {
        let advised = text.replacing(". Please provide ", with: "; give ").replacing(". Did you mean ", with: "; did you mean ")
        // A first word that is no plain one, such as an option, stays as it is.
        let hasWord = advised.prefixMatch(of: #/[A-Z][a-z]* /#) != nil
        let sentence = hasWord ? advised.prefix(1).lowercased() + advised.dropFirst() : advised
        return sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
    }
}
