//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The one place that makes the sentence of an error.
enum ErrorSentence {
    /// What happened and why.
    static func summary(_ context: String, _ cause: ErrorCause?) -> String { cause.map { "\(context): \($0.text)" } ?? context }

    /// The same and the next step.
    static func text(_ context: String, _ cause: ErrorCause?, _ nextStep: String) -> String {
        nextStep.isEmpty ? summary(context, cause) : "\(summary(context, cause)); \(nextStep)"
    }
}
