//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import TestSupport
import Testing

@Suite("The library stands alone", .timeLimit(.minutes(10)))
struct StandaloneTests {
    @Test("a package that uses only Loading compiles nothing else, and subclasses a loader with an initializer of its own")
    func alone() async throws {
        let temporary = try TemporaryFolder()
        let folder = URL(filePath: temporary.path)
        let sources = folder.appending(path: "Sources/App")
        try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
        let manifest = """
            // swift-tools-version: 6.2
            import PackageDescription
            let package = Package(
                name: "app",
                dependencies: [.package(name: "gantry", path: "\(CheckoutFolder.root.path)")],
                targets: [.executableTarget(name: "App", dependencies: [.product(name: "Loading", package: "gantry")])])

            """
        let program = """
            import Loading
            class Own: BaseLoadable<Int> {
                let number: Int
                private(set) var calls: [String] = []
                init(number: Int) {
                    self.number = number
                    super.init()
                }
                override func fetch() async throws -> Int { calls.append("fetch"); return number }
                override func load() async { calls.append("load"); await super.load() }
                override func reset() { calls.append("reset"); super.reset() }
                override func cancel() { calls.append("cancel"); super.cancel() }
            }
            let loader = BlockLoadable { 1 }
            await loader.load()
            print(loader.currentState)
            let own = Own(number: 2)
            let limited = ConcurrencyLimitingLoadable(wrapping: own, concurrencyLimit: 1)
            await limited.load()
            print(own.currentState)
            limited.cancel()
            limited.reset()
            print(own.calls.joined(separator: " "), own.currentState)

            """
        try manifest.write(to: folder.appending(path: "Package.swift"), atomically: true, encoding: .utf8)
        try program.write(to: sources.appending(path: "main.swift"), atomically: true, encoding: .utf8)

        let built = try await runToEnd(["swift", "build", "--product", "App", "--package-path", folder.path])
        #expect(built.status == 0, "\(built.output)")
        let products = folder.appending(path: ".build/debug")
        #expect(try compiledModules(below: products) == ["App", "Loading"])
        let ran = try await runToEnd([products.appending(path: "App").path])
        #expect(ran.output == "loaded(1)\nloaded(2)\nload fetch cancel reset idle\n")
    }

    /// Modules that have object files; a plan alone leaves folders without any.
    private func compiledModules(below products: URL) throws -> [String] {
        let folder = products.resolvingSymlinksInPath()
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".build") }.filter { name in
            let files = FileManager.default.enumerator(atPath: folder.appending(path: name).path)
            return files?.contains { ($0 as? String)?.hasSuffix(".o") == true } ?? false
        }.map { String($0.dropLast(".build".count)) }.sorted()
    }
}
