//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Values that a template cannot be expanded with.
public struct URLTemplateError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The template as written.
    public let template: String

    /// What is wrong, and the next step.
    public var description: String {
        "a value makes a part of the path \(Self.path(of: template)) \".\" or \"..\", which means another path: choose another value"
    }

    /// The path alone: what stands before and behind it may hold a password or a token.
    private static func path(of template: String) -> Substring {
        let authority = template.firstRange(of: "://").map { template[$0.upperBound...] } ?? template[...]
        return authority.drop { $0 != "/" }.prefix { $0 != "?" && $0 != "#" }
    }
}
