//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// A small picture drawn from its id: 128 by 128 points of SVG with a few shapes in colours that belong together.
enum SampleImage {
    static func content(id: String) -> OriginContent {
        var random = SplitMix64(text: id, index: 0)
        let hue = random.pick(0...359)
        var shapes = "<rect width=\"128\" height=\"128\" fill=\"hsl(\(hue),45%,88%)\"/>"
        for number in 1...5 {
            let colour = "hsl(\((hue + number * 47) % 360),60%,\(random.pick(35...65))%)"
            let (x, y, size) = (random.pick(16...112), random.pick(16...112), random.pick(8...36))
            shapes +=
                random.pick(0...1) == 0
                ? "<circle cx=\"\(x)\" cy=\"\(y)\" r=\"\(size)\" fill=\"\(colour)\"/>"
                : "<rect x=\"\(x - size / 2)\" y=\"\(y - size / 2)\" width=\"\(size)\" height=\"\(size)\" fill=\"\(colour)\"/>"
        }
        let svg =
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"128\" height=\"128\" viewBox=\"0 0 128 128\">\(shapes)</svg>\n"
        return OriginContent(contentType: "image/svg+xml", Array(svg.utf8))
    }
}
