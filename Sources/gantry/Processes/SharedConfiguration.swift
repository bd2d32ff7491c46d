//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Foundation
import GantryPlatform
import GantrySettings
import StateFormatting

/// What `up` has read, for all its parts: one that is started again has the configuration of the others, whatever became of the file.
final class SharedConfiguration: Sendable {
    /// The number of the descriptor in a part, behind `ReadyProcess.readyNumber`.
    private static let childNumber: Int32 = 4

    private let file: OwnedDescriptor

    /// - Throws: `SystemError` when the system has no memory or descriptor for it.
    init(_ source: ConfigurationText) throws {
        file = try .inMemory(Array(source.json.text.utf8), name: "gantry configuration")
    }

    /// Has a part inherit it.
    func pass(to request: inout SpawnRequest) {
        request.inherited.append(InheritedDescriptor(parentNumber: file.rawValue, childNumber: Self.childNumber))
        request.arguments += ["--configuration-fd", String(Self.childNumber)]
    }

    /// What another process has passed as a descriptor.
    ///
    /// - Throws: `ValidationError` when it is no such text.
    static func read(_ number: Int32) throws -> ConfigurationText {
        guard let content = FileManager.default.contents(atPath: "/proc/self/fd/\(number)"),
            let text = try? JSONDecoder().decode(ConfigurationText.self, from: content)
        else { throw ValidationError("--configuration-fd \(number) holds no configuration: leave the option out") }
        return text
    }
}

extension ConfigurationText {
    /// What `JSONDecoder` reads again.
    var json: JSONValue { .object(("file", file.map { .string($0) }), ("text", .string(text))) }
}
