//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import TestSupport
import Testing

extension EndToEnd {
    /// What CONTRIBUTING.md tells people to run for long: the scripts know each option, the programs are there.
    @Suite("CONTRIBUTING", .serialized, .timeLimit(.minutes(10)))
    struct ContributingTests {
        @Test("each mistake of the list by hand stands where Scripts/mutate can make it")
        func mistakes() async throws {
            let scenario = try Scenario()
            let list = try CheckoutFolder.text("Scripts/mutants-by-hand.txt")
            let manual = list.split(separator: "\n").count { $0.hasPrefix("find: ") }
            let answered = try await scenario.end(
                of: scenario.start(program: CheckoutFolder.file("Scripts/mutate").path, ["--list"]))
            #expect(answered.code == 0, "\(answered.errors)")
            let lines = answered.output.split(separator: "\n")
            #expect(manual >= 40 && lines.count == 120 + manual)
            // Two on one line: one of them would be in no build, and be told as not noticed whatever the tests.
            let places = lines.compactMap { line in line.split(separator: " ", maxSplits: 1).last?.split(separator: " ").first }
            #expect(Set(places).count == lines.count, "\(Dictionary(grouping: places, by: { $0 }).filter { $0.value.count > 1 }.keys)")
        }

        @Test("each script has the options with which it is named, each product is one of the package")
        func commands() async throws {
            let scenario = try Scenario()
            let package = try CheckoutFolder.text("Package.swift")
            let commands = try Readme("CONTRIBUTING.md").commands("From outside")
            #expect(commands.count { $0.hasPrefix("Scripts/") } >= 4 && commands.count { $0.hasPrefix("swift ") } >= 2, "\(commands)")
            for command in commands {
                let words = command.split(separator: " ").map(String.init).filter { $0 != "--static-swift-stdlib" }
                if words[0] == "swift" {
                    let last = words.firstIndex(of: "--product") ?? words.firstIndex(of: "release")
                    let product = last.flatMap { $0 + 1 < words.count ? words[$0 + 1] : nil } ?? ""
                    #expect(package.contains("name: \"\(product)\""), "\(command)")
                } else {
                    let help = try await scenario.end(of: scenario.start(program: CheckoutFolder.file(words[0]).path, ["--help"]))
                    #expect(help.code == 0, "\(command): \(help.errors)")
                    for option in words where option.hasPrefix("--") {
                        #expect(help.output.contains(option + " "), "\(command): \(option)")
                    }
                }
            }
        }
    }
}
