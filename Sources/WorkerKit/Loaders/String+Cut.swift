//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension String {
    /// The longest beginning of whole characters that has at most so many bytes in UTF-8.
    func cut(toByteCount limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var byteCount = 0
        var end = startIndex
        while end < endIndex {
            byteCount += self[end].utf8.count
            guard byteCount <= limit else { break }
            formIndex(after: &end)
        }
        return String(self[..<end])
    }
}
