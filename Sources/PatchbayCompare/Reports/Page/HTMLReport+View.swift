internal import PatchbayCore
internal import PatchbayJSON

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
