//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import StateFormatting

@Suite("Arguments that are shown to nobody")
struct SecretArgumentTests {
    @Test("the argument of a job is shown, unless it is secret: then only that it is")
    func shown() {
        var explanation = JobExplanation(
            job: JobSummary(id: JobID(42), loader: "mail", state: .waiting, acceptedAt: WallTime(milliseconds: 1)))
        (explanation.argument, explanation.argumentByteCount) = (Array("hunter2".utf8), 7)
        #expect(explanation.byteLines == ["  argument: hunter2"])
        #expect(explanation.jobJSON.text.contains("hunter2") && explanation.jobJSON.text.contains("argumentBytes"))
        explanation.job.options.hasSecretArgument = true
        #expect(explanation.byteLines == ["  argument: (secret)"])
        for text in [explanation.jobJSON.text, explanation.json.text] {
            #expect(!text.contains("hunter2") && !text.contains("argumentBytes") && text.contains("secretArgument"), "\(text)")
        }
    }
}
