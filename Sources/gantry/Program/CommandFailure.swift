//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Why a command ends with a code other than 0: what people and programs are told.
struct CommandFailure: Error, Hashable {
    /// The exit code.
    var status: ExitStatus
    /// A word for programs: one of the failure codes, or one of this program's own such as `configuration`.
    var code: Code
    /// What happened, naming the thing.
    var message: String
    /// What to do now, often a command to type; empty: nothing helps.
    var nextStep: String { ([advice].filter { !$0.isEmpty } + (doctor ?? [])).joined(separator: " ") }
    private var advice: String
    /// The words of `gantry doctor` with its options, where that is the next step or the end of it.
    var doctor: [String]?
    /// Whether the same command may succeed later.
    var isRetryable = false
    /// Names and values for programs, for example the feed and the job.
    var context: [String: String] = [:]

    /// - Parameter thenDoctor: whether the next step is, or ends with, `gantry doctor`.
    init(
        _ status: ExitStatus, code: Code, message: String, nextStep: String = "", thenDoctor: Bool = false, isRetryable: Bool = false,
        context: [String: String] = [:]
    ) {
        self.status = status
        self.code = code
        self.message = message
        advice = nextStep
        doctor = thenDoctor ? ["gantry", DoctorCommand.name] : nil
        self.isRetryable = isRetryable
        self.context = context
    }

    /// Another next step than its cause has.
    mutating func advise(_ nextStep: String) { (advice, doctor) = (nextStep, nil) }

    /// What it advises asks the front that the options name.
    mutating func place(_ words: [String]) { advice = AdvisedCommand.placing(words, in: advice) }

    /// A failure with one of the codes that wire, page and metrics share.
    init(
        _ code: FailureCode, message: String, nextStep: String = "", isRetryable: Bool = false, context: [String: String] = [:]
    ) {
        self.init(
            ExitStatus(code), code: Code(code), message: message, nextStep: nextStep, isRetryable: isRetryable,
            context: context)
    }
}
