//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryPlatform
import Testing

@testable import gantry

@Suite("The kill timer, as doctor tries it", .timeLimit(.minutes(5)))
struct KillTimerCheckTests {
    @Test("on a kernel that ends a stopped process all is well, and doctor says so")
    func good() throws {
        let run = try ProgramRun(["doctor", "--output", "json"])
        #expect(run.output.contains(#""detail":"the kernel ends a stopped process","name":"kill timer","state":"good""#), "\(run.output)")
    }

    @Test("where a stopped process lives on, the check is bad, and says what to do")
    func bad() throws {
        let probe = SpawnRequest(executable: "/bin/sh", arguments: ["-c", "kill -STOP $$"], environment: ["PATH": "/usr/bin:/bin"])
        let check = KillTimerCheck.check(probe, limit: .seconds(1))
        #expect(check.state == .bad && check.detail.contains("does not end a stopped process"))
        #expect(check.nextStep?.hasPrefix("run workers where") == true && check.failure?.status == .failed)
    }

    @Test("a child that does not come to stop says nothing about the kernel, only that the machine is busy")
    func busy() {
        let check = KillTimerCheck.check(SpawnRequest(executable: "/bin/sleep", arguments: ["300"]), limit: .milliseconds(10))
        #expect(check.state == .warning && check.detail.contains("too busy") && check.failure == nil)
    }

    @Test("a probe that ends by itself proves nothing")
    func early() throws {
        let probe = SpawnRequest(executable: "/bin/true")
        #expect(KillTimerCheck.check(probe, limit: .seconds(20)).state == .bad)
    }

    @Test(
        "memory is given with its unit, as sizes are in the configuration",
        arguments: [("16MiB", 16 << 20), ("2GiB", 2 << 30), ("256", nil), ("8MiB", nil), ("-1MiB", nil), ("99999GiB", nil), ("1TiB", nil)])
    func memory(text: String, byteCount: Int?) {
        #expect((try? MemorySize(argument: text))?.byteCount == byteCount)
        guard byteCount == nil else { return }
        let error = #expect(throws: (any Error).self) { try WorkerCommand.parse(["--memory=\(text)"]) }
        #expect(error.map { WorkerCommand.message(for: $0) }?.contains("it is 16MiB to 1024GiB, written with its unit") == true)
    }
}
