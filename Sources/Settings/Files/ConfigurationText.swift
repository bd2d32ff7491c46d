//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A configuration as it was read: what the parts of one `up` share, and what a front notes that it was started with.
///
/// In JSON: `{"file": "/etc/gantry/gantry.yaml", "text": "version: 1"}`, without `file` for the built-in sample.
public struct ConfigurationText: Hashable, Sendable, Codable {
    /// The file's absolute path; nil: the built-in sample.
    public var file: String?
    /// What stands in it.
    public var text: String

    public init(file: String?, text: String) { (self.file, self.text) = (file, text) }

    /// What the text says.
    ///
    /// - Throws: `ConfigurationError`: a mistake in it, with the file and the line.
    public func parsed() throws(ConfigurationError) -> GantryConfiguration {
        do {
            return try GantryConfiguration(yaml: text)
        } catch {
            var error = error
            error.path = file
            throw error
        }
    }
}
