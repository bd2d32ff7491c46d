//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation

/// What a command that has ended left behind.
struct Answer: Sendable {
    let lines: [String]
    let errors: String
    /// The exit code; 128 and the signal's number for one that was killed, as shells say it.
    let code: Int32

    var output: String { lines.joined(separator: "\n") }

    /// The output as a JSON object.
    func json() throws -> [String: Any] {
        guard let object = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any] else {
            throw EndToEndError("no JSON object: \(output)")
        }
        return object
    }

    /// The list under `items` of the output.
    func items() throws -> [[String: Any]] { try json()["items"] as? [[String: Any]] ?? [] }

    /// The failure that the command printed as JSON.
    func failure() throws -> (code: String, message: String, nextStep: String) {
        let line = errors.split(separator: "\n").last { $0.hasPrefix("{\"error\"") } ?? ""
        let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: [String: Any]]
        guard let error = object?["error"] else { throw EndToEndError("no failure: \(errors)") }
        return (error["code"] as? String ?? "", error["message"] as? String ?? "", error["nextStep"] as? String ?? "")
    }
}
