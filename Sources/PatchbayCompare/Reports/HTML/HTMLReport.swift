internal import PatchbayCore

/// A comparison as one self-contained HTML page without scripts, fonts or images.
///
/// It contains the sentences of ``Findings``, a matrix of workloads and storages, charts of speed, latency and growth
/// (SVG, each with a title and a description), the resources used, the setup, and tables of all figures. It follows the
/// reader's choice of light or dark, fits a telephone and prints. No meaning depends on colour alone: every subject
/// also has a shape, and every mark is a word or a figure.
package struct HTMLReport: Sendable {
    /// UTF-8.
    package let bytes: [UInt8]

    package init(_ comparison: Comparison) {
        let names = comparison.subjects.map(\.name).joined(separator: ", ")
        let head = HTML.element(
            "head", [:],
            [
                .void("meta", ["charset": "utf-8"]),
                .void("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"]),
                .void("meta", ["name": "color-scheme", "content": "light dark"]),
                .void(
                    "meta",
                    [
                        "http-equiv": "Content-Security-Policy",
                        "content": "default-src 'none'; style-src 'unsafe-inline'",
                    ]),
                .element("title", [:], HTML("Storages compared: \(names)")),
                .element("style", [:], HTMLStyle.sheet),
            ])
        let page = HTMLPage(comparison: comparison)
        let sections = page.sections
        let body = HTML.element(
            "body", [:],
            [
                page.header, page.contents(sections), .element("main", [:], sections.map(\.html)),
                page.footer,
            ])
        let document = HTML([
            HTML(literal: "<!DOCTYPE html>"), .element("html", ["lang": "en"], [head, body]),
        ])
        bytes = Array((document.source + "\n").utf8)
    }
}
