//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import TestSupport

/// The text files of this repository that people write.
enum Checkout {
    /// Read once for all tests.
    static let files: Result<[SourceFile], any Error> = Result { try read() }

    private static let skippedFolders: Set<String> = ["Generated", "build", "node_modules"]
    private static let textEndings: Set<String> = [
        "swift", "md", "proto", "yaml", "yml", "sh", "h", "c", "modulemap", "txt", "txtpb", "py",
    ]
    private static let scriptFolders: Set<String> = ["deploy", "Scripts", ".ci"]

    private static func read() throws -> [SourceFile] {
        var files: [SourceFile] = []
        var folders = [""]
        while let folder = folders.popLast() {
            let names = try FileManager.default.contentsOfDirectory(atPath: CheckoutFolder.file(folder).path)
            for name in names.sorted() {
                let path = folder.isEmpty ? name : folder + "/" + name
                let location = CheckoutFolder.file(path)
                let values = try location.resourceValues(forKeys: [.isDirectoryKey, .isRegularFileKey])
                if values.isDirectory == true {
                    if name == ".ci" || !name.hasPrefix("."), !skippedFolders.contains(name) { folders.append(path) }
                } else if values.isRegularFile == true, isText(name, in: folder) {
                    files.append(SourceFile(path, try String(contentsOf: location, encoding: .utf8)))
                }
            }
        }
        return files.sorted { $0.path < $1.path }
    }

    private static func isText(_ name: String, in folder: String) -> Bool {
        if name.hasSuffix(".json") { return folder == "Protocol/schemas" }
        let pieces = name.split(separator: ".")
        if pieces.count > 1, let ending = pieces.last { return textEndings.contains(String(ending)) }
        return scriptFolders.contains(String(folder.split(separator: "/").first ?? ""))
    }
}
