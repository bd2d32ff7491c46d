//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension String {
    /// The text, cut behind the last whole scalar within `limit` bytes.
    ///
    /// Sentences come from loaders and origins. One that is too long loses its end when it is written: if it made its message unreadable,
    /// the report would be refused again at each repeat. Names that are echoed in a refusal lose theirs before it is kept.
    package func cut(to limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: limit)
        while end > startIndex, end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}
