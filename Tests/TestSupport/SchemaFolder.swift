//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation

/// The schemas of the repository, and as much of JSON Schema 2020-12 as they use.
package struct SchemaFolder: Sendable {
    private let folder = CheckoutFolder.file("Protocol/schemas")

    /// Finds them in the checkout that this file was compiled in.
    package init() {}

    /// Their names, sorted.
    package var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted().map { String($0.dropLast(5)) }
    }

    /// The text of each file by its name.
    /// - Throws: for one that cannot be read.
    package func texts() throws -> [String: String] {
        var texts: [String: String] = [:]
        for name in names { texts[name] = try String(contentsOf: file(name), encoding: .utf8) }
        return texts
    }

    /// Writes the file of that name.
    package func write(_ text: String, as name: String) throws { try Data(text.utf8).write(to: file(name)) }

    private func file(_ name: String) -> URL { folder.appendingPathComponent(name + ".json") }

    /// What is wrong with a text by the schema of that name; empty: nothing.
    /// - Throws: for a text that is no JSON, and a schema that is not there.
    package func faults(of text: String, by name: String) throws -> [String] {
        let value = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
        return try faults(value, try schema(name), "$")
    }

    private func schema(_ name: String) throws -> [String: Any] {
        let data = try Data(contentsOf: file(name))
        return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
    }

    private func faults(_ value: Any, _ schema: [String: Any], _ path: String) throws -> [String] {
        if let reference = schema["$ref"] as? String { return try faults(value, try self.schema(String(reference.dropLast(5))), path) }
        var found: [String] = []
        if let type = schema["type"] as? String, !isOf(type, value) { return ["\(path) is no \(type)"] }
        if let text = value as? String {
            if let words = schema["enum"] as? [String], !words.contains(text) { found.append("\(path) is \(text)") }
            if let pattern = schema["pattern"] as? String, text.range(of: pattern, options: .regularExpression) == nil {
                found.append("\(path) is not like \(pattern): \(text)")
            }
        }
        if let least = schema["minimum"] as? Double, let number = value as? Double, number < least { found.append("\(path) is too small") }
        if let most = schema["maximum"] as? Double, let number = value as? Double, number > most { found.append("\(path) is too large") }
        if let items = schema["items"] as? [String: Any], let list = value as? [Any] {
            for (index, item) in list.enumerated() { found += try faults(item, items, "\(path)[\(index)]") }
        }
        guard let object = value as? [String: Any] else { return found }
        let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
        for name in schema["required"] as? [String] ?? [] where object[name] == nil { found.append("\(path) has no \(name)") }
        for (name, member) in object {
            if let property = properties[name] {
                found += try faults(member, property, "\(path).\(name)")
            } else if let other = schema["additionalProperties"] as? [String: Any] {
                found += try faults(member, other, "\(path).\(name)")
            } else if schema["additionalProperties"] as? Bool == false {
                found.append("\(path) has an unknown \(name)")
            }
        }
        return found
    }

    private func isOf(_ type: String, _ value: Any) -> Bool {
        switch type {
        case "string": value is String
        case "object": value is [String: Any]
        case "array": value is [Any]
        case "boolean": value as? NSNumber == true as NSNumber || value as? NSNumber == false as NSNumber
        case "integer": (value as? NSNumber).map { $0.doubleValue == $0.doubleValue.rounded() } ?? false
        case "number": value is NSNumber
        default: false
        }
    }
}
