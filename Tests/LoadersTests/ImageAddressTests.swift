//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import GantryFeedLoaders

@Suite("Addresses of images")
struct ImageAddressTests {
    @Test(
        "http and https URLs and relative paths are taken as they are",
        arguments: [
            "http://127.0.0.1:7711/image/1.png", "HTTPS://shop.example/a?b=c#d", "/img/1.jpg", "img/1.jpg", "../1.jpg", "?id=1", "a/b:c",
            "//cdn.example/1.png", "https://bücher.example/ä.png", "81fPKd-2AYL._AC_SL1500_.jpg",
        ])
    func taken(text: String) throws {
        #expect(try ImageAddress.read(.text(text)) == .text(text))
    }

    @Test(
        "anything else is refused: other schemes, no host, blanks and characters that no address has",
        arguments: [
            "javascript:alert(1)", "JavaScript:x", "data:image/png;base64,AAAA", "file:///etc/passwd", "mailto:a@b", "http:x", "http:/x",
            "http://", "https:///x", "http://:80/x", "//", "not a url", " /x", "a\nb", "a\u{7F}", "\"", "<x>", "a\\b", "{id}", ":x",
        ])
    func refused(text: String) {
        #expect(throws: JSONFault.self) { try ImageAddress.read(.text(text)) }
    }

    @Test("null and the empty text are no image")
    func none() throws {
        #expect(try ImageAddress.read(.null) == nil)
        #expect(try ImageAddress.read(.text("")) == nil)
    }
}
