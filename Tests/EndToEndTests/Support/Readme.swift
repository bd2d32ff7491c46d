//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import TestSupport

/// The parts of README.md, or of another text beside it, that somebody types.
struct Readme {
    private let name: String
    private let lines: [String]

    init(_ name: String = "README.md") throws {
        self.name = name
        lines = try CheckoutFolder.text(name).components(separatedBy: "\n")
    }

    /// The blocks of a section in a language, in order.
    func blocks(_ section: String, _ language: String) throws -> [[String]] {
        var blocks: [[String]] = []
        var block: [String]?
        for line in try text(section).components(separatedBy: "\n") {
            if let open = block {
                if line == "```" {
                    blocks.append(open)
                    block = nil
                } else {
                    block = open + [line]
                }
            } else if line == "```" + language {
                block = []
            } else if line.hasPrefix("```") {
                // The end of this one is taken for the begin of another unless it is passed over.
                block = nil
            }
        }
        return blocks
    }

    /// Everything in a section, its blocks too.
    func text(_ section: String) throws -> String {
        guard let start = lines.firstIndex(of: "## " + section) else { throw EndToEndError("\(name) has no section \(section)") }
        return lines[(start + 1)...].prefix { !$0.hasPrefix("## ") }.joined(separator: "\n")
    }

    /// The headings of its sections.
    var sections: [String] { lines.filter { $0.hasPrefix("## ") }.map { String($0.dropFirst(3)) } }

    /// The commands of a section: the lines of its `sh` blocks, and what stands behind a prompt in its captured ones.
    func commands(_ section: String) throws -> [String] {
        let typed = try blocks(section, "sh").flatMap { $0 }
        let captured = try blocks(section, "text").flatMap { $0 }.filter { $0.hasPrefix("$ ") }.map { String($0.dropFirst(2)) }
        return (typed + captured).filter { !$0.isEmpty }
    }

    /// What stands behind each prompt of a section, with the lines that are shown below it; from one that begins or ends with `…` on, something is
    /// left out there.
    func captures(_ section: String) throws -> [(command: String, shown: [String])] {
        var captures: [(command: String, shown: [String])] = []
        for line in try blocks(section, "text").flatMap({ $0 }) {
            if line.hasPrefix("$ ") {
                captures.append((String(line.dropFirst(2)), []))
            } else if let last = captures.indices.last {
                captures[last].shown.append(line)
            }
        }
        return captures
    }
}
