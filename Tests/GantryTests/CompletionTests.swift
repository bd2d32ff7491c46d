//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import TestSupport
import Testing

@testable import gantry

@Suite("Completion of what is typed", .timeLimit(.minutes(5)))
struct CompletionTests {
    /// What bash offers for the last word of a line, once it has read the script.
    private func offers(_ words: [String]) throws -> [String] {
        let folder = try TemporaryFolder()
        let script = try ProgramRun(["--generate-completion-script", "bash"])
        #expect(script.exit == .exited(code: 0), "\(script.errors)")
        try script.output.write(toFile: folder.path + "/gantry.bash", atomically: true, encoding: .utf8)
        let bash = """
            source '\(folder.path)/gantry.bash'
            [[ $(complete -p gantry) == *' -F '* ]] || exit 1
            COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
            _gantry gantry "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
            printf '%s\\n' "${COMPREPLY[@]}" > '\(folder.path)/offers'
            """
        let request = SpawnRequest(executable: "/bin/bash", arguments: ["-c", bash, "bash"] + words, environment: [:])
        let process = try request.spawn()
        _ = try ProcessControl.exitDescriptor(of: process).waitReadable(upTo: .seconds(60))
        #expect(try ProcessControl.reap(process) == .exited(code: 0))
        return try String(contentsOfFile: folder.path + "/offers", encoding: .utf8).split(separator: "\n").map(String.init)
    }

    @Test(
        "bash completes commands, their options and the values of those",
        arguments: [
            (["gantry", "fe"], ["feed"]), (["gantry", "feed", "lo"], ["load"]), (["gantry", "worker", "d"], ["drain"]),
            (["gantry", "job", "list", "--st"], ["--state"]), (["gantry", "job", "list", "--output", "j"], ["json", "jsonl"]),
            (["gantry", "job", "list", "--state", "ca"], ["cancelling", "cancelled"]), (["gantry", "nothing-of-that"], []),
        ])
    func bash(words: [String], expected: [String]) throws { #expect(try offers(words) == expected) }

    @Test("there is a script for each shell that the README names", arguments: ["bash", "zsh", "fish"])
    func shells(name: String) throws {
        let script = try ProgramRun(["--generate-completion-script", name])
        #expect(script.exit == .exited(code: 0) && script.output.contains("gantry") && script.errors.isEmpty, "\(script.errors)")
    }
}
