//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import StateFormatting

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

    /// For programs: `{"error":{"code","message","nextStep","retryable","context"}}` on one line.
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
