//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import TestSupport

/// A package beside this one that somebody writes who follows README.md: its manifest and its sources come from the page.
struct OutsidePackage {
    private static let section = "A job of your own"

    /// The line of the manifest that names this package, without `.package(` and `)`, and the folder in it.
    let dependency: String
    let folderName: String
    /// The lines of the target's dependencies, and the products that they name, each with its package.
    let productLines: [String]
    let products: [(name: String, package: String)]
    /// The snippets in order: what each imports, and the lines below that.
    let snippets: [(imports: [String], lines: [String])]

    init() throws {
        let readme = try Readme()
        guard let path = try readme.text(Self.section).firstMatch(of: /`\.package\((path: "[^"]*?([^\/"]+)")\)`/) else {
            throw EndToEndError("README.md does not say how a package names this one")
        }
        (dependency, folderName) = (String(path.1), String(path.2))
        productLines = try readme.blocks(Self.section, "text").flatMap { $0 }.filter { $0.hasPrefix(".product(") }
        products = productLines.compactMap { line in
            line.wholeMatch(of: /\.product\(name: "(\w+)", package: "(\w+)"\),/).map { (String($0.1), String($0.2)) }
        }
        snippets = try readme.blocks(Self.section, "swift").map { lines in
            let imports = lines.filter { $0.hasPrefix("import ") }
            return (imports.map { String($0.dropFirst("import ".count)) }, Array(lines.drop { $0.isEmpty || $0.hasPrefix("import ") }))
        }
    }

    /// The manifest that somebody has after following the page.
    var manifest: String {
        """
        // swift-tools-version: 6.2
        import PackageDescription

        let package = Package(
            name: "app",
            dependencies: [.package(\(dependency))],
            targets: [.executableTarget(name: "App", dependencies: [
                \(productLines.joined(separator: "\n        "))
            ])])

        """
    }

    /// The files of the program by name: one for each snippet with its own imports, and one that runs the snippet of a number.
    var sources: [String: String] {
        var sources: [String: String] = [:]
        var calls: [String] = []
        for (index, snippet) in snippets.enumerated() {
            let name = "snippet\(index)"
            var lines = snippet.lines
            // The first one is the type of the job, the others are statements with these two names of the reader's program.
            if index > 0 {
                lines = ["func \(name)(folder: String, text: String) async throws {"] + lines + ["}"]
                calls.append("\(name)(folder:text:)")
            }
            sources[name + ".swift"] = (snippet.imports.map { "import " + $0 } + lines + [""]).joined(separator: "\n")
        }
        sources["main.swift"] = """
            let calls: [@Sendable (String, String) async throws -> Void] = [\(calls.joined(separator: ", "))]
            let words = CommandLine.arguments
            if words.count == 3, let number = Int(words[1]) { try await calls[number](words[2], words[2]) }

            """
        return sources
    }

    /// Writes the package into a folder, with this one beside it under the name that the page uses; the paths of the sources.
    func write(into folder: String) throws -> [String] {
        let files = FileManager.default
        try files.createDirectory(atPath: folder + "/app/Sources/App", withIntermediateDirectories: true)
        try files.createSymbolicLink(atPath: folder + "/" + folderName, withDestinationPath: CheckoutFolder.root.path)
        try manifest.write(toFile: folder + "/app/Package.swift", atomically: true, encoding: .utf8)
        return try sources.sorted { $0.key < $1.key }.map { name, text in
            let path = folder + "/app/Sources/App/" + name
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            return path
        }
    }

    /// A manifest as the package manager reads it.
    struct Manifest: Decodable {
        struct Product: Decodable { let name: String, targets: [String] }
        struct Target: Decodable {
            struct Dependency: Decodable { let product: [String?]? }
            let name: String, dependencies: [Dependency]
        }
        let products: [Product], targets: [Target]

        /// Reads that of the package in a folder.
        static func read(in folder: String) async throws -> Manifest {
            let dumped = try await runToEnd(["swift", "package", "--package-path", folder, "dump-package"])
            guard dumped.status == 0 else { throw EndToEndError("the manifest is not understood: \(dumped.output)") }
            return try JSONDecoder().decode(Manifest.self, from: Data(dumped.output.utf8))
        }

        /// Reads that of this package from a copy: its own build folder is locked while tests run.
        static func ofThisPackage() async throws -> Manifest {
            let folder = try TemporaryFolder()
            try FileManager.default.copyItem(
                atPath: CheckoutFolder.file("Package.swift").path, toPath: folder.path + "/Package.swift")
            return try await read(in: folder.path)
        }

        /// The modules that somebody may import who lists these products.
        func modules(of names: [String]) -> Set<String> {
            Set(products.filter { names.contains($0.name) }.flatMap(\.targets))
        }
    }
}
