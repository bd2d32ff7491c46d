//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import Foundation

/// The compiler as another package calls it on the products that were built with the tests.
///
/// It is not given the name of this package, so `package` declarations are out of reach, and each file has to import what it uses.
package enum OutsideCompiler {
    /// The folder of the built programs.
    package static let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()

    /// Checks the types of files as one module, in Swift 6 mode and with warnings as errors.
    ///
    /// - Parameter hasMain: whether a type with `@main`, and no file `main.swift`, is the program.
    package static func check(_ files: [String], module: String, hasMain: Bool = false) async throws -> (status: Int32, output: String) {
        let strict = ["-typecheck", "-warnings-as-errors", "-enable-upcoming-feature", "MemberImportVisibility"]
        return try await runToEnd(command(files, module) + strict + (hasMain ? ["-parse-as-library"] : []))
    }

    /// Makes a program of files that use one library without dependencies; a type with `@main`, and no file `main.swift`, is the program.
    package static func build(_ files: [String], module: String, with library: String, to path: String) async throws
        -> (status: Int32, output: String)
    {
        let folder = products.appending(path: library + ".build")
        let objects = try names(in: folder).filter { $0.hasSuffix(".o") }.map { folder.appending(path: $0).path }
        return try await runToEnd(command(files, module) + ["-parse-as-library"] + objects + ["-o", path])
    }

    private static func command(_ files: [String], _ module: String) throws -> [String] {
        // Modules of C libraries of the system, those whose map the package manager wrote, and those that bring a map.
        let system = try names(in: CheckoutFolder.file("Sources")).map { CheckoutFolder.file("Sources/\($0)") }.filter {
            FileManager.default.fileExists(atPath: $0.appending(path: "module.modulemap").path)
        }
        let written = try names(in: products).filter { $0.hasSuffix(".build") }.map { products.appending(path: $0) }
        let checkouts = products.deletingLastPathComponent().deletingLastPathComponent().appending(path: "checkouts")
        let brought = try names(in: checkouts).map { checkouts.appending(path: $0 + "/Sources") }.flatMap { folder in
            // Some packages have no folder of that name.
            (try? names(in: folder))?.map { folder.appending(path: $0 + "/include") } ?? []
        }
        let maps = (written + brought).map { $0.appending(path: "module.modulemap").path }.filter(FileManager.default.fileExists)
        return ["swiftc", "-swift-version", "6", "-module-name", module, "-I", products.appending(path: "Modules").path]
            + system.flatMap { ["-I", $0.path] } + maps.flatMap { ["-Xcc", "-fmodule-map-file=" + $0] } + files
    }

    private static func names(in folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }
}
