//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryAuditRecord
import GantryModel

/// How many ran of each limit over time, against what was allowed, as SVG: one row for each limit and value, at most twelve.
struct AuditPicture {
    private let audit: LimitAudit
    private static let rowLimit = 12
    private static let (width, left, right, top) = (960.0, 56.0, 24.0, 64.0)
    private static let (rowHeight, plotHeight) = (168.0, 108.0)

    init(_ audit: LimitAudit) { self.audit = audit }

    /// Those that are drawn: what was passed first, then what ran most.
    private var drawn: [AuditedValue] {
        let sorted = audit.values.sorted {
            $0.state != $1.state ? $0.state > $1.state : ($1.runCount, $0.key.text) < ($0.runCount, $1.key.text)
        }
        return Array(sorted.prefix(Self.rowLimit))
    }

    /// The picture.
    var svg: String {
        let height = Self.top + Double(max(1, drawn.count)) * Self.rowHeight + 56
        var parts = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(Self.text(Self.width))\" height=\"\(Self.text(height))\" "
                + "viewBox=\"0 0 \(Self.text(Self.width)) \(Self.text(height))\" font-family=\"sans-serif\" font-size=\"12\">",
            "<title>gantry limit audit</title>", "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>",
            Self.label(Self.left, 26, "Permits taken at once against their limits: \(audit.state.rawValue)", size: 17, weight: "bold"),
            Self.label(
                Self.left, 46,
                "\(WallTime(nanoseconds: audit.from).rfc3339) to \(WallTime(nanoseconds: audit.to).rfc3339), by the workers' records",
                fill: "#555555"),
        ]
        if drawn.isEmpty { parts.append(Self.label(Self.left, Self.top + 40, "No job with limits has begun in that time.")) }
        for (index, value) in drawn.enumerated() { parts += row(value, at: Self.top + Double(index) * Self.rowHeight) }
        let legend = Self.top + Double(max(1, drawn.count)) * Self.rowHeight + 20
        parts += [
            "<rect x=\"56\" y=\"\(Self.text(legend - 9))\" width=\"18\" height=\"9\" fill=\"#9ec5e8\" stroke=\"#1f5f99\"/>",
            Self.label(80, legend, "permits of runs"),
            "<path d=\"M190 \(Self.text(legend - 4))h24\" stroke=\"#b45309\" stroke-width=\"2\" stroke-dasharray=\"5 3\"/>",
            Self.label(220, legend, "allowed by the newest grant among them"),
            "<rect x=\"510\" y=\"\(Self.text(legend - 9))\" width=\"18\" height=\"9\" fill=\"#dc2626\"/>",
            Self.label(534, legend, "more than allowed"),
            "<rect x=\"658\" y=\"\(Self.text(legend - 9))\" width=\"18\" height=\"9\" fill=\"#f5b041\"/>",
            Self.label(682, legend, "perhaps: nobody saw the end of some"),
        ]
        if audit.values.count > drawn.count {
            parts.append(Self.label(Self.left, legend + 22, "\(audit.values.count - drawn.count) more are not drawn.", fill: "#555555"))
        }
        return (parts + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    private func row(_ value: AuditedValue, at top: Double) -> [String] {
        let bottom = top + 28 + Self.plotHeight
        let greatest = Double(max(1, value.most.running, Int(min(value.capacities?.upperBound ?? 0, 10_000))))
        func y(_ count: Double) -> Double { bottom - Self.plotHeight * min(1, count / (greatest * 1.1)) }
        var parts = [
            Self.label(Self.left, top + 16, title(value), size: 13, weight: "bold"),
            "<path d=\"M\(Self.text(Self.left)) \(Self.text(bottom - Self.plotHeight))V\(Self.text(bottom))H\(Self.text(Self.width - Self.right))\" "
                + "fill=\"none\" stroke=\"#888888\"/>",
            Self.label(Self.left - 6, bottom + 4, "0", anchor: "end"),
            Self.label(Self.left - 6, y(greatest) + 4, Self.text(greatest), anchor: "end"),
        ]
        for share in 0...4 {
            let time = audit.from + Int64(Double(audit.to - audit.from) * Double(share) / 4)
            let anchor = share == 0 ? "start" : share == 4 ? "end" : "middle"
            let clock = String(WallTime(nanoseconds: time).rfc3339.dropFirst(11).dropLast())
            parts.append(Self.label(x(time), bottom + 16, clock, fill: "#555555", anchor: anchor))
        }
        for excess in value.excesses {
            let width = max(1.5, x(excess.to) - x(excess.from))
            parts.append(
                "<rect x=\"\(Self.text(x(excess.from)))\" y=\"\(Self.text(bottom - Self.plotHeight))\" width=\"\(Self.text(width))\" "
                    + "height=\"\(Self.text(Self.plotHeight))\" fill=\"\(excess.isSure ? "#dc2626" : "#f5b041")\" fill-opacity=\"0.35\"/>")
        }
        let columns = self.columns(of: value)
        parts.append(area(columns.running, bottom, y))
        parts.append(limitLine(columns.allowed, y))
        return parts
    }

    private func title(_ value: AuditedValue) -> String {
        let most = value.most.capacity.map { "at most \(value.most.running) of \($0) permits at once, " } ?? ""
        let rate = value.rate.map { ", \($0.refill.line): at most \($0.mostInPeriod) in a period" } ?? ""
        return "\(value.key.text): \(value.state.rawValue), \(most)\(value.runCount) runs\(rate)"
    }

    private func x(_ time: Int64) -> Double {
        let share = Double(time - audit.from) / Double(max(1, audit.to - audit.from))
        return Self.left + (Self.width - Self.left - Self.right) * min(max(share, 0), 1)
    }

    /// The most that ran, and the least that was allowed, of each column of the picture: a moment that is too narrow to be seen counts.
    private func columns(of value: AuditedValue) -> (running: [Double], allowed: [Double?]) {
        let count = Int(Self.width - Self.left - Self.right)
        var running = Array(repeating: 0.0, count: count)
        var allowed = [Double?](repeating: nil, count: count)
        for (index, step) in value.steps.enumerated() {
            let end = index + 1 < value.steps.count ? value.steps[index + 1].at : audit.to
            let first = min(count - 1, Int(x(step.at) - Self.left))
            let last = min(count - 1, max(first, Int(x(end) - Self.left)))
            for column in first...last {
                running[column] = max(running[column], Double(step.running))
                if let capacity = step.capacity { allowed[column] = min(allowed[column] ?? .infinity, Double(capacity)) }
            }
        }
        return (running, allowed)
    }

    private func area(_ running: [Double], _ bottom: Double, _ y: (Double) -> Double) -> String {
        var path = "M\(Self.text(Self.left)) \(Self.text(bottom))"
        var before: Double?
        for (column, count) in running.enumerated() where count != before {
            path += "H\(Self.text(Self.left + Double(column)))V\(Self.text(y(count)))"
            before = count
        }
        path += "H\(Self.text(Self.width - Self.right))V\(Self.text(bottom))Z"
        return "<path d=\"\(path)\" fill=\"#9ec5e8\" fill-opacity=\"0.8\" stroke=\"#1f5f99\" stroke-width=\"1\"/>"
    }

    /// Where nothing runs the limit of before goes on.
    private func limitLine(_ allowed: [Double?], _ y: (Double) -> Double) -> String {
        var path = ""
        var before: Double?
        for (column, capacity) in allowed.enumerated() {
            guard let capacity, capacity != before else { continue }
            let place = Self.text(Self.left + Double(before == nil ? 0 : column))
            path += before == nil ? "M\(place) \(Self.text(y(capacity)))" : "H\(place)V\(Self.text(y(capacity)))"
            before = capacity
        }
        guard !path.isEmpty else { return "" }
        return "<path d=\"\(path)H\(Self.text(Self.width - Self.right))\" fill=\"none\" stroke=\"#b45309\" stroke-width=\"2\" "
            + "stroke-dasharray=\"5 3\"/>"
    }

    private static func label(
        _ x: Double, _ y: Double, _ content: String, size: Int = 12, weight: String = "normal", fill: String = "#111111",
        anchor: String = "start"
    ) -> String {
        "<text x=\"\(text(x))\" y=\"\(text(y))\" font-size=\"\(size)\" font-weight=\"\(weight)\" fill=\"\(fill)\" text-anchor=\"\(anchor)\">"
            + escaped(content) + "</text>"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    /// A number with one digit behind the point at most.
    private static func text(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? String(tenths / 10) : "\(tenths / 10).\(abs(tenths % 10))"
    }
}
