//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import TestSupport
import Testing

@Suite("The documentation")
struct DocumentationTests {
    private func files(in folder: String, ending: String) throws -> [(path: String, text: String)] {
        let base = CheckoutFolder.file(folder).resolvingSymlinksInPath()
        let paths = FileManager.default.enumerator(at: base, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
        return try paths.filter { $0.path.hasSuffix(ending) }.sorted { $0.path < $1.path }.map {
            ($0.lastPathComponent, try String(contentsOf: $0, encoding: .utf8))
        }
    }

    /// Code between fences marked as Swift, lines trimmed; documentation comments lose their slashes first.
    private func snippets(in text: String) -> [String] {
        var found: [String] = []
        var open: [String]?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let isComment = line.drop { $0 == " " }.hasPrefix("///")
            let content = isComment ? line.drop { $0 == " " }.dropFirst(3) : line[...]
            let trimmed = content.trimmingCharacters(in: .whitespaces)
            if let lines = open {
                if trimmed == "```" {
                    found.append(lines.joined(separator: "\n"))
                    open = nil
                } else {
                    open = lines + [trimmed]
                }
            } else if trimmed == "```swift" {
                open = []
            }
        }
        return found
    }

    /// Where examples stand, where each of them is compiled, and how many there are at least.
    private static let examples: [(texts: [String], code: [String], atLeast: Int)] = [
        (["Sources/Loading"], ["Sources/Examples/LoadingExample"], 20), (["Sources/GantryClient"], ["Sources/Examples"], 6),
        (
            ["Sources/GantryWorker", "Sources/GantryWorkerTesting", "Sources/GantryModel/Jobs"],
            ["Sources/Examples/WorkerExample", "Tests/GantryWorkerTestingTests"], 18
        ), (["Sources/GantryFeedLoaders"], ["Sources/Examples/FeedWorkerExample", "Tests/GantryWorkerTestingTests"], 4),
    ]

    @Test("every example of a library stands in a program or a test, which is compiled", arguments: examples)
    func compiled(texts: [String], code: [String], atLeast: Int) throws {
        let code = try code.flatMap { try files(in: $0, ending: ".swift") }.map { trimmed($0.text) }
        let texts = try texts.flatMap { try files(in: $0, ending: ".md") + files(in: $0, ending: ".swift") }
        let all = texts.flatMap { file in snippets(in: file.text).map { (file.path, $0) } }
        #expect(all.count >= atLeast)
        for (path, snippet) in all {
            #expect(code.contains { $0.contains(snippet) }, "\(path):\n\(snippet)")
        }
    }

    private func trimmed(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.trimmingCharacters(in: .whitespaces) }.joined(
            separator: "\n")
    }

    /// A library's catalog: where its sources lie, and how many types it has at least.
    private static let catalogs: [(module: String, atLeast: Int)] = [
        ("Loading", 20), ("GantryClient", 15), ("GantryFeedLoaders", 5), ("GantryFileCache", 2),
        ("GantryModel", 40), ("GantryWorker", 15), ("GantryWorkerTesting", 7),
    ]

    @Test("the landing page lists each public type once, and no page is a stub", arguments: catalogs)
    func pages(module: String, atLeast: Int) throws {
        let pages = try files(in: "Sources/\(module)/\(module).docc", ending: ".md")
        let landing = try #require(pages.first { $0.path == "\(module).md" }).text
        let topics = try #require(landing.components(separatedBy: "## Topics").last)
        let listed = topics.matches(of: /(?m)^- ``(\w+)``/).map { String($0.1) }
        let types = try files(in: "Sources/\(module)", ending: ".swift").flatMap { file in
            file.text.matches(of: /(?m)^(public|open|package) (?:final )?(?:class|struct|enum|protocol|actor) (\w+)/)
                .filter { $0.1 != "package" }.map { String($0.2) }
        }
        #expect(types.count >= atLeast)
        #expect(Set(listed).count == listed.count)
        #expect(Set(types).subtracting(listed) == [])
        #expect(Set(listed).subtracting(types) == [], "links that lead nowhere")
        for page in pages {
            #expect(page.text.split(separator: "\n").count >= 10, "\(page.path): say it in the comment of the declaration")
        }
    }

    /// The lines of the blocks marked `sh` of a page.
    private func commands(of page: String) -> [String] {
        page.matches(of: /```sh\n((?s:.*?))\n```/).flatMap { $0.1.split(separator: "\n").map(String.init) }
    }

    @Test("each command that a catalog prints runs a program to its end; those of gantry are parsed by another test")
    func commands() async throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: CheckoutFolder.file("Sources").path)
        let pages = try folders.sorted().flatMap { try files(in: "Sources/\($0)", ending: ".md") }
        let found = pages.flatMap { commands(of: $0.text) }.filter { !$0.hasPrefix("gantry ") }
        #expect(!found.isEmpty)
        for command in found {
            let words = command.split(separator: " ").map(String.init)
            #expect(words.starts(with: ["swift", "run"]), "\(command): nothing tries it")
            let program = words.last ?? ""
            if let option = words.firstIndex(of: "--package-path") {
                let manifest = try CheckoutFolder.text(words[option + 1] + "/Package.swift")
                #expect(manifest.contains("name: \"\(program)\""), "\(command)")
                #expect(program == "LoadingBenchmark", "\(command): nothing tries it")
            } else {
                let ran = try await runToEnd([OutsideCompiler.products.appending(path: program).path])
                #expect(ran.status == 0, "\(command): \(ran.output)")
            }
        }
    }

    @Test("the benchmark compiles as another package, and prints the rows of the tables of the article about costs")
    func costs() async throws {
        let temporary = try TemporaryFolder()
        let sources = CheckoutFolder.file("Benchmarks/Sources/LoadingBenchmark").path
        let files = try FileManager.default.contentsOfDirectory(atPath: sources).sorted().map { sources + "/" + $0 }
        let program = temporary.path + "/LoadingBenchmark"
        let built = try await OutsideCompiler.build(files, module: "LoadingBenchmark", with: "Loading", to: program)
        #expect(built.status == 0, "\(built.output)")
        let ran = try await runToEnd([program, "--rounds", "1"])
        let page = try #require(try self.files(in: "Sources/Loading/Loading.docc", ending: "Costs.md").first).text
        #expect(ran.status == 0 && rows(ran.output).count == 17)
        #expect(rows(page) == rows(ran.output))
    }

    /// The first columns of tables, without the lines below their heads.
    private func rows(_ text: String) -> [String] {
        text.matches(of: /(?m)^\| ([^|]+) \|/).map { String($0.1) }
    }

    @Test("every row of the table of orders is a test, and every such test is a row")
    func orders() throws {
        let guide = try #require(try files(in: "Sources/Loading/Loading.docc", ending: "ComposeLoaders.md").first).text
        let rows = guide.matches(of: /(?m)^\| `([^`]+)` \|/).map { String($0.1) }
        let tests = try files(in: "Tests/LoadingTests", ending: "ComposeTests.swift").flatMap { file in
            file.text.matches(of: /@Test\("([a-z(]+\(x\)+):/).map { String($0.1) }
        }
        #expect(rows.count == 8)
        #expect(rows.sorted() == tests.sorted())
    }
}
