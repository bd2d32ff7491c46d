//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import RegexBuilder

/// Takes out of addresses what may be secret: user and password, up to the last `@` before the path, and the query.
enum Redaction {
    static func apply(to text: String) -> String {
        guard text.contains("://") else { return text }
        return text.replacing(/(?<scheme>[A-Za-z][A-Za-z0-9+.\-]*:\/\/)(?<user>[^\/?#\s"]*@)?(?<rest>[^?#\s"]*)(?<query>\?[^#\s"]*)?/) {
            match in
            let user = match.output.user == nil ? "" : "…@"
            let query = match.output.query == nil ? "" : "?…"
            return String(match.output.scheme) + user + String(match.output.rest) + query
        }
    }
}
