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
        let data: JSONValue = ["comparison": try comparison.jsonValue(), "view": view(of: comparison)]
        // Only texts contain this sign.
        return String(decoding: data.line, as: UTF8.self).replacing("<", with: "\\u003c")
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

extension HTMLReport {
    /// The verdicts and the figures as text, which the script only arranges.
    static func view(of comparison: Comparison) -> JSONValue {
        let settings = comparison.settings, machine = comparison.machine
        let header = [
            "\(Findings.list(settings.rows.map { Quantity.count($0) })) \(settings.resource)",
            settings.duration, machine.processor,
            "\(machine.cores) cores", "\(settings.startedAt)",
        ]
        return [
            "header": .text(header.joined(separator: " · ")),
            "program": .text(
                comparison.versions.first.map { "\($0.name) \($0.value)" } ?? "patchbay"),
            "findings": JSONValue(Findings.sentences(comparison)),
            "setup": .array(setup(of: comparison).map { JSONValue([$0.0, $0.1]) }),
            "groups": .array(comparison.groups.map(group)),
        ]
    }

    private static func setup(of comparison: Comparison) -> [(String, String)] {
        let settings = comparison.settings, machine = comparison.machine
        return [
            ("command", settings.commandLine.joined(separator: " ")), ("started", "\(settings.startedAt)"),
            ("processor", "\(machine.processor), \(machine.cores) cores"),
            ("load average at the start", comparison.loadAtStart.map { Quantity.decimal($0) } ?? "unknown"),
            ("memory", Quantity.bytes(Double(machine.memoryBytes))),
            ("system", "\(machine.kernel), \(machine.distribution)"), ("file system", machine.fileSystem),
            (settings.resource, settings.rows.map { Quantity.count($0) }.joined(separator: ", ")),
            ("measured for", settings.duration),
            ("threads", "\(settings.threads)"), ("seed", "\(settings.seed)"),
            ("durability", settings.durability.map { $0.rawValue } ?? "as configured"),
            ("source of the rows", settings.source ?? "made up"),
        ] + comparison.versions.map { ($0.name, $0.value) }
    }

    private static func group(_ group: ResultGroup) -> JSONValue {
        [
            "workload": .text(group.workload), "summary": .text(group.summary),
            "rows": JSONValue(Int64(group.rows)),
            "standings": .array(
                group.standings.map { standing(of: $0).adding(["brief": .text(group.brief($0))]) }),
        ]
    }

    private static func standing(of standing: Standing) -> JSONValue {
        guard let rate = standing.rate, let result = standing.result,
            let latencies = standing.typicalLatencies
        else { return ["rate": .null, "words": .text(standing.reason ?? "")] }
        let mark: JSONValue =
            switch standing.mark {
            case .best: "best"
            case .differs: "differs"
            default: .null
            }
        let percentiles = [latencies.p50, latencies.p90, latencies.p99, latencies.p999, latencies.max]
        let times = percentiles.map { Quantity.time(nanoseconds: $0) }
        let longest = result.rounds.map(\.latencies.max).max() ?? 0
        return [
            "rate": range(rate), "mark": mark, "verdict": .text(standing.verdict),
            "words": .text("\(Quantity.rate(rate.median)), \(standing.verdict)"),
            "speed": JSONValue([Quantity.rate(rate.median), standing.interval] + times),
            "p50": JSONValue(Int64(latencies.p50)), "p99": JSONValue(Int64(latencies.p99)),
            "p999": JSONValue(Int64(latencies.p999)), "latency": .text("p50 \(times[0]), p99 \(times[2])"),
            "longest": .text(Quantity.time(nanoseconds: longest)),
            "used": .array(result.consumption.map { JSONValue($0) }),
        ]
    }

    private static func range(_ spread: Spread) -> JSONValue {
        [
            "lowest": number(spread.lowest), "median": number(spread.median),
            "highest": number(spread.highest),
        ]
    }

    private static func number(_ number: Double) -> JSONValue {
        number.isFinite ? .number("\(number)") : .null
    }
}
