//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What the origin does wrong on purpose with requests of one path. Everything that is not set stays right.
///
/// As JSON the keys are the names of the properties; an unknown key is an error.
package struct Fault: Hashable, Sendable, Codable {
    /// What becomes of a body.
    package enum Body: String, Hashable, Sendable, Codable {
        /// JSON that breaks off, with the right length for HTTP.
        case invalidJSON
        /// A body that goes on until the client closes the connection.
        case endless
    }

    /// A path without query (`/items`), or one that ends in `*` for all that begin so (`/images/*`).
    package var path: String
    /// Seconds before the head of the answer is sent, 0 to 3,600.
    package var delaySeconds: Double?
    /// Bytes of the body a second, at least 1.
    package var bytesPerSecond: Int?
    /// Answers with this status, 200 to 599, and a body that says so.
    package var status: Int?
    /// What becomes of the body.
    package var body: Body?
    /// Closes the connection when so many bytes of the body are sent; 0: right after the head.
    package var cutAfterBytes: Int?
    /// Stops when so many bytes of the body are sent, until the fault is replaced or removed; 0: before the head.
    package var holdAfterBytes: Int?
    /// Counts down at each request; the fault is gone when it was met so often. Not set: it stays.
    package var times: Int?

    /// A fault of `path` that does nothing yet.
    package init(path: String) {
        self.path = path
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case path, delaySeconds, bytesPerSecond, status, body, cutAfterBytes, holdAfterBytes, times

        /// The values that may be given.
        var takes: String {
            switch self {
            case .path: "a path such as \"/items\", or \"/images/*\""
            case .delaySeconds: "0 to 3600"
            case .bytesPerSecond, .times: "a whole number from 1"
            case .status: "200 to 599"
            case .body: "\"invalidJSON\" or \"endless\""
            case .cutAfterBytes, .holdAfterBytes: "a whole number from 0"
            }
        }

        fileprivate var does: String {
            switch self {
            case .path: "which requests meet the fault; the only key that must be there"
            case .delaySeconds: "seconds before the answer begins"
            case .bytesPerSecond: "how fast the body is sent"
            case .status: "the answer's status"
            case .body: "JSON that breaks off, or a body without end"
            case .cutAfterBytes: "closes the connection then"
            case .holdAfterBytes: "stops then, until the fault is removed"
            case .times: "the fault is gone when it was met so often"
            }
        }
    }

    /// What a fault may say, for who said something else.
    static var keysText: String {
        "a fault has \(CodingKeys.allCases.map(\.stringValue).joined(separator: ", ")), all but path may be left out"
    }

    /// One line for each key: what it takes, and what it does.
    package static var help: String {
        let width = (CodingKeys.allCases.map(\.stringValue.utf8.count).max() ?? 0) + 2
        return CodingKeys.allCases.map { key in
            key.stringValue + String(repeating: " ", count: width - key.stringValue.utf8.count) + key.takes + ": " + key.does
        }.joined(separator: "\n")
    }

    /// Says what is wrong with the values, or nil when nothing is.
    var complaint: String? {
        func fault(_ key: CodingKeys, _ value: Any) -> String { "\(key.stringValue) is \(value): give \(key.takes)" }
        if !path.hasPrefix("/") { return "path is \"\(path)\": begin it with a slash" }
        if let delaySeconds, !(0...3_600).contains(delaySeconds) { return fault(.delaySeconds, delaySeconds) }
        if let bytesPerSecond, bytesPerSecond < 1 { return fault(.bytesPerSecond, bytesPerSecond) }
        if let status, !(200...599).contains(status) { return fault(.status, status) }
        if let cutAfterBytes, cutAfterBytes < 0 { return fault(.cutAfterBytes, cutAfterBytes) }
        if let holdAfterBytes, holdAfterBytes < 0 { return fault(.holdAfterBytes, holdAfterBytes) }
        if let times, times < 1 { return fault(.times, times) }
        return nil
    }

    private var isPrefix: Bool { path.hasSuffix("*") }

    /// How closely this fault says which path it means: of two that match, the larger one is met.
    var closeness: Int { path.utf8.count - (isPrefix ? 1 : 0) }

    func matches(_ path: String) -> Bool {
        isPrefix ? path.hasPrefix(self.path.dropLast()) : path == self.path
    }

    /// `content` with what of this fault concerns content.
    func applied(to content: OriginContent) -> OriginContent {
        let answer = status.map { OriginContent.failure($0, code: "fault", "the fault of \(path) asks for status \($0)") } ?? content
        return switch body {
        case .invalidJSON: answer.brokenOff()
        case .endless: answer.endless()
        case nil: answer
        }
    }
}
