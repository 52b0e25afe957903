internal import PatchbayCore
internal import PatchbayJSON

/// A comparison as one HTML page for people who choose a storage, with tables and charts.
///
/// The page contains the comparison as JSON, with the program's verdicts, and a script that draws both. It loads
/// nothing, prints well, fits a telephone and follows the reader's choice of light or dark. No meaning depends on
/// colour alone: every subject also has a shape, and every mark is a word or a figure. A browser that runs no scripts
/// shows the overview as a table.
///
/// Nothing in the comparison can become markup: the script escapes every value, the policy of the page forbids every
/// other script, and the JSON contains no `<`.
package enum HTMLReport {
    /// - Throws: an error when a measured number is not finite.
    package static func bytes(of comparison: Comparison) throws -> [UInt8] {
        let title = "Storages compared: \(comparison.subjects.map(\.name).joined(separator: ", "))"
        let nonce = String(UInt64.random(in: .min ... .max), radix: 36)
        let style = String(decoding: PackageResources.report_css, as: UTF8.self)
        let script = String(decoding: PackageResources.report_js, as: UTF8.self)
        let data = try HTMLReport.data(comparison)
        return Array(
            """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; \
            script-src 'nonce-\(nonce)'">
            <title>\(HTMLReport.escaped(title))</title>
            <style>
            \(style)</style>
            </head>
            <body>
            <div id="page"></div>
            <noscript>\(HTMLReport.overview(comparison))</noscript>
            <script type="application/json" id="data">\(data)</script>
            <script nonce="\(nonce)">
            \(script)</script>
            </body>
            </html>

            """.utf8)
    }

    private static func data(_ comparison: Comparison) throws -> String {
        var writer = JSONWriter()
        writer.value(["comparison": try comparison.jsonValue(), "view": view(of: comparison)])
        // Only texts contain this sign.
        return String(decoding: writer.bytes, as: UTF8.self).replacing("<", with: "\\u003c")
    }

    /// The table for browsers that run no scripts.
    private static func overview(_ comparison: Comparison) -> String {
        func row(_ cells: [String], _ tag: String) -> String {
            "<tr>" + cells.map { "<\(tag)>\(escaped($0))</\(tag)>" }.joined() + "</tr>"
        }
        let lines = comparison.largestGroups.map { group in
            row([group.workload] + group.standings.map(group.brief), "td")
        }
        let head = row(["workload"] + comparison.subjects.map(\.name), "th")
        return "<table>\n" + ([head] + lines).joined(separator: "\n") + "\n</table>"
    }

    /// Text with escaped markup; unseen characters become escapes such as `\u{202E}`, as in the script.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case _ where scalar.isUnseen:
                result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
