//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import TestSupport
import Testing

@Suite("The tool that measures single turns")
struct TurnsTests {
    @Test("it prints a line for each case whose name begins as asked for; times on a busy machine decide nothing here")
    func lines() async throws {
        let turns = try await OptimizedProgram.run("Turns", ["--only", "w", "--rounds", "1"])
        let lines = turns.output.split(separator: "\n").dropFirst()
        #expect(lines.map { String($0.prefix(20)) } == ["waiting loader names", "waiting clients     ", "workers             "])
        for line in lines {
            let numbers = line.dropFirst(46).split(separator: " ").compactMap { Double($0) }
            #expect(numbers.count == 5 && numbers.allSatisfy { $0 > 0 }, "\(line)")
        }
    }

    @Test("a name that no case begins with is refused")
    func unknown() async throws {
        let turns = try await OptimizedProgram.run("Turns", ["--only", "nothing"])
        #expect(turns.status == 64)
        #expect(turns.output.isEmpty)
    }
}
