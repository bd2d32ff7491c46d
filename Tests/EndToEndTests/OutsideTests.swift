//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import TestSupport
import Testing

/// The products are of use to another package: what README.md and the examples show needs nothing that only this package may use.
@Suite("From another package", .timeLimit(.minutes(15)))
struct OutsideTests {
    /// Each example with the products that its user lists.
    private static let examples: [(folder: String, products: [String])] = [
        ("Sources/Examples/FeedWorkerExample", ["GantryWorker"]), ("Sources/Examples/JobExample", ["GantryClient", "GantryWorker"]),
        ("Sources/Examples/LoadingExample", ["Loading"]), ("Sources/Examples/StackExample", ["GantryClient"]),
        ("Sources/Examples/WorkerExample", ["GantryClient", "GantryWorker"]),
        ("Tests/GantryWorkerTestingTests", ["GantryWorkerTesting"]),
    ]

    private func files(_ folder: String) throws -> [String] {
        let folder = CheckoutFolder.file(folder).path
        return try FileManager.default.subpathsOfDirectory(atPath: folder).sorted().filter { $0.hasSuffix(".swift") }
            .map { folder + "/" + $0 }
    }

    @Test("README's snippets compile with the imports that they name")
    func snippets() async throws {
        let package = try OutsidePackage()
        let folder = try TemporaryFolder()
        #expect(package.snippets.count == 4 && package.snippets.allSatisfy { !$0.imports.isEmpty })
        let checked = try await OutsideCompiler.check(package.write(into: folder.path), module: "App")
        #expect(checked.status == 0, "\(checked.output)")
    }

    @Test("each example compiles", arguments: OutsideTests.examples.map(\.folder).filter { $0.hasPrefix("Sources/") })
    func example(folder: String) async throws {
        let module = String(folder.split(separator: "/").last ?? "")
        let checked = try await OutsideCompiler.check(files(folder), module: module, hasMain: true)
        #expect(checked.status == 0, "\(checked.output)")
    }

    @Test("every folder of examples is one of those")
    func complete() throws {
        let all = try FileManager.default.contentsOfDirectory(atPath: CheckoutFolder.file("Sources/Examples").path)
        #expect(Set(all.map { "Sources/Examples/" + $0 }) == Set(Self.examples.map(\.folder).dropLast()))
    }

    @Test("what only this package may use does not compile")
    func outOfReach() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/main.swift"
        try "import GantryModel\nprint(SplitMix64(mixing: 1))\n".write(toFile: path, atomically: true, encoding: .utf8)
        let checked = try await OutsideCompiler.check([path], module: "App")
        #expect(checked.status != 0 && checked.output.contains("cannot find 'SplitMix64' in scope"), "\(checked.output)")
    }

    @Test("README's manifest is read, and names products of this package and all that the snippets import")
    func manifest() async throws {
        let own = try await OutsidePackage.Manifest.ofThisPackage()
        let package = try OutsidePackage()
        let folder = try TemporaryFolder()
        _ = try package.write(into: folder.path)
        let products = package.products.map(\.name)
        #expect(!products.isEmpty && products.count == package.productLines.count, "\(package.productLines)")
        #expect(package.products.allSatisfy { $0.package == package.folderName })
        #expect(Set(products).isSubset(of: own.products.map(\.name)), "\(products)")
        let read = try await OutsidePackage.Manifest.read(in: folder.path + "/app")
        #expect(read.targets.first?.dependencies.compactMap { $0.product?.first ?? nil } == products)
        #expect(Set(package.snippets.flatMap(\.imports)).isSubset(of: own.modules(of: products)))
    }

    @Test("a product lists every module of this package that its examples import", arguments: OutsideTests.examples)
    func products(folder: String, products: [String]) async throws {
        let own = try await OutsidePackage.Manifest.ofThisPackage()
        // The tests of the harness use loaders of examples, and helpers of this package.
        let ours = Set(own.targets.map(\.name)).subtracting(["FeedWorkerExample", "TestSupport", "WorkerExample"])
        let imports = try files(folder).flatMap { path in
            try String(contentsOfFile: path, encoding: .utf8).matches(of: /(?m)^import (\w+)/).map { String($0.1) }
        }
        #expect(!imports.isEmpty)
        let missing = ours.intersection(imports).subtracting(own.modules(of: products))
        #expect(missing.isEmpty, "\(products) do not list \(missing.sorted())")
    }
}
