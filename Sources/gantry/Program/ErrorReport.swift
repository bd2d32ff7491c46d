//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Platform

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
        let isWished = failure.status == .cancelled || failure.status == .detached
        let first = (isWished ? "" : style.bold("error:") + " ") + failure.message
        let whole = failure.nextStep.isEmpty ? first : first + "\n" + style.bold("next:") + "  " + failure.nextStep
        let text = TextFit.clean(whole)
        return columns.map { TextFit.fold(text, columns: $0) } ?? text
    }

    /// For programs: `{"error":{"code","message","nextStep","retryable","context"}}` on one line.
    static func json(_ failure: CommandFailure) -> String {
        struct Body: Encodable {
            var code: String
            var message: String
            var nextStep: String?
            var retryable: Bool
            var context: [String: String]?
        }
        let body = Body(
            code: failure.code, message: failure.message, nextStep: failure.nextStep.isEmpty ? nil : failure.nextStep,
            retryable: failure.isRetryable, context: failure.context.isEmpty ? nil : failure.context)
        return JSONLine.text(["error": body])
    }
}
