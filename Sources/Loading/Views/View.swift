//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Something that draws itself as terminal lines.
///
/// Views are cheap values, made anew for each drawing; what lasts lives in loaders. See ``ViewHost`` and ``LiveRegion`` for where they show.
@MainActor
public protocol View {
    /// Adds this view's lines and buttons to the canvas.
    func render(into canvas: inout Canvas)
}
