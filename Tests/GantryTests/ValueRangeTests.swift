//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryPlatform
import Testing

@testable import gantry

@Suite("Values of options that are none")
struct ValueRangeTests {
    @Test(
        "a value that is none is told with what it may be, as the help of its option has it",
        arguments: [
            (["job", "submit", "x", "--priority", "300"], "'300' is invalid for '--priority <priority>': 0 to 9, 9 most urgent"),
            (["job", "submit", "x", "--priority", "12"], "--priority is 0 to 9, not 12"),
            (["job", "submit", "x", "--attempts", "5000000000"], "'5000000000' is invalid for '--attempts <attempts>': how many attempts"),
            (["job", "submit", "x", "--attempts", "none"], "1 to 1,000; by default"),
            (["job", "submit", "x", "--attempts", "0"], "1 to 1,000 attempts, not 0"),
            (["job", "submit", "x", "--limit", "api:0"], "how many permits the job takes, 1 to 1,000,000, like api:3"),
            (["job", "submit", "x", "--delay", "0s"], "it is not between 1ms and 365d: write for example 250ms or 5s"),
            (["job", "submit", "x", "--delay", "366d"], "it is not between 1ms and 365d"), (["worker", "--slots", "x"], "1 to 64"),
            (["worker", "--memory", "0B"], "it is 16MiB to 1024GiB"), (["limit", "set", "a", "x"], "1 to 1,000,000"),
            (["job", "cancel", "x"], "'x' is invalid for '<jobs>': the ids of the jobs, as `gantry job list` shows them"),
            (["job", "submit", "x", "--priority", "-1"], "'-1' is invalid for '--priority <priority>': 0 to 9, 9 most urgent"),
            (["feed", "items", "x", "--offset", "-1"], "position of the first item, from 0"),
        ])
    func range(arguments: [String], says: String) throws {
        let answer = try ProgramRun(arguments)
        #expect(answer.exit == .exited(code: 64) && answer.errors.contains(says), "\(answer.errors)")
    }
}
