//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Testing

extension EndToEndCommands {
    /// The lines of README.md with which a shell learns to complete commands, typed into bash.
    @Suite("README's completion", .serialized, .timeLimit(.minutes(5)))
    struct ReadmeCompletionTests {
        /// What is typed for each shell; its name stands before the first of its lines only.
        private func lines() throws -> [String: [String]] {
            let blocks = try Readme().blocks("More commands", "text")
            let block = try #require(blocks.first { $0.contains { $0.contains("--generate-completion-script") } })
            var lines: [String: [String]] = [:]
            var shell = ""
            for line in block {
                let name = line.prefix(8).trimmingCharacters(in: .whitespaces)
                if !name.isEmpty { shell = name }
                lines[shell, default: []].append(String(line.dropFirst(8)))
            }
            return lines
        }

        /// Types them with the scenario's folder as home, where the last one has to write its file.
        private func type(_ shell: String, _ scenario: Scenario) async throws -> String {
            let lines = try #require(try lines()[shell])
            for line in lines {
                let answer = try await scenario.end(of: scenario.start(program: "/bin/bash", ["-c", line]))
                #expect(answer.code == 0 && answer.errors.isEmpty, "\(line): \(answer.errors)")
            }
            let target = try #require(lines.last?.split(separator: ">").last).trimmingCharacters(in: .whitespaces)
            return target.replacing("~", with: scenario.folder)
        }

        /// What each shell looks for in such a file.
        private static let begins = [("bash", "#!/bin/bash"), ("zsh", "#compdef gantry"), ("fish", "function __gantry")]

        @Test("its lines write a script of that shell, in a home without any folder", arguments: Self.begins)
        func typed(shell: String, begin: String) async throws {
            let scenario = try Scenario()
            #expect(try Set(lines().keys) == Set(Self.begins.map(\.0)))
            let script = try String(contentsOfFile: await type(shell, scenario), encoding: .utf8)
            #expect(script.hasPrefix(begin), "\(script.prefix(200))")
        }

        @Test("bash that has read the file completes a command and its options")
        func completes() async throws {
            let scenario = try Scenario()
            let path = try await type("bash", scenario)
            for (words, offer) in [("gantry fe", "feed"), ("gantry job list --st", "--state")] {
                let read = """
                    source '\(path)'
                    COMP_WORDS=(\(words)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMP_LINE="\(words)"; COMP_POINT=${#COMP_LINE}
                    [[ $(complete -p gantry) == *' -F _gantry '* ]] || exit 1
                    _gantry gantry "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
                    printf '%s\\n' "${COMPREPLY[@]}"
                    """
                let answer = try await scenario.end(of: scenario.start(program: "/bin/bash", ["-c", read]))
                #expect(answer.code == 0 && answer.output == offer, "\(answer.output) \(answer.errors)")
            }
        }
    }
}
