//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Testing

extension EndToEnd {
    /// The example program of the library, as somebody runs it who has only read its documentation.
    @Suite("The library's example", .serialized, .timeLimit(.minutes(5)))
    struct LibraryExampleTests {
        @Test("without a front it ends with the error's two lines and the code of the command line")
        func noFront() async throws {
            let scenario = try Scenario()
            let answer = try await scenario.end(of: scenario.start(program: Scenario.programs + "/StackExample", ["feed"]))
            let lines = answer.errors.split(separator: "\n")
            #expect(answer.code == 7)
            #expect(lines.count == 2)
            #expect(lines.first?.hasPrefix("error: no front answered") == true)
            #expect(lines.last?.hasPrefix("next:  ") == true)
        }

        @Test("it finds the front where the command line finds it, whatever the home folder of the user is")
        func findsFront() async throws {
            let scenario = try Scenario()
            let (up, _) = try await scenario.up()
            // Its origin is not there: what it says then comes after it has found the front.
            let answer = try await scenario.end(of: scenario.start(program: Scenario.programs + "/StackExample", ["feed"]))
            #expect(answer.code == 3)
            #expect(answer.errors.contains("GANTRY_ORIGIN"))
            up.send(.interrupt)
            _ = try await up.exit()
        }
    }
}
