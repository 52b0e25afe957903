internal import PatchbayCore

extension HTMLPage {
    var growthTable: HTML {
        let rows = growths.map { growth -> [Cell] in
            let ends = [growth.points[0], growth.points[growth.points.count - 1]]
            return [
                .word(growth.workload), .subject(growth.subject),
                .word(ends.map { Quantity.count($0.rows) }.joined(separator: " → ")),
                .number(Quantity.factor(growth.factor)), .number(Quantity.factor(growth.logarithmFactor)),
                .number(Quantity.decimal(growth.exponent, digits: 2)), .word(growth.verdict.words),
            ]
        }
        return table(
            "Growth of the time of one operation",
            ["workload", "storage", "rows", "time", "logarithm", "power of the rows", "the cost grows"], rows)
    }

    /// The resources that each subject used with the most rows.
    var consumption: Section? {
        let rows = largest.flatMap { group in
            group.standings.compactMap { standing -> [Cell]? in
                guard standing.rate != nil, let result = standing.result else { return nil }
                return [.word(group.workload), .subject(standing.subject)] + figures(Consumption(result))
            }
        }
        guard !rows.isEmpty else { return nil }
        let note =
            "With the most rows. Processor time, bytes passed to write calls and the number of those calls are per "
            + "operation. Memory is the most that the process held in any round; the size on disk is that of all "
            + "files. A dash marks a figure that the system does not provide."
        let titles = [
            "workload", "storage", "processor", "written", "write calls", "memory", "on disk",
        ]
        return section("consumption", "Resources used", note, [table("Resources used", titles, rows)])
    }

    private func figures(_ used: Consumption) -> [Cell] {
        [
            used.processorSecondsPerOperation.map { Quantity.time(seconds: $0) },
            used.writtenBytesPerOperation.map { Quantity.bytes($0) },
            used.writeCallsPerOperation.map { Quantity.decimal($0) },
            used.peakMemoryBytes.map { Quantity.bytes(Double($0)) },
            used.bytesOnDisk.map { Quantity.bytes(Double($0)) },
        ].map { .number($0 ?? "–") }
    }

    var setup: Section? {
        let settings = comparison.settings
        let machine = comparison.machine
        let facts = [
            ("command", settings.commandLine.joined(separator: " ")), ("started", "\(settings.startedAt)"),
            ("processor", "\(machine.processor), \(machine.cores) cores"),
            ("load average at the start", comparison.loadAtStart.map { Quantity.decimal($0) } ?? "unknown"),
            ("memory", Quantity.bytes(Double(machine.memoryBytes))),
            ("system", "\(machine.kernel), \(machine.distribution)"), ("file system", machine.fileSystem),
            ("rows", settings.rows.map { Quantity.count($0) }.joined(separator: ", ")),
            ("rounds", "\(settings.rounds) of \(Quantity.decimal(settings.seconds)) s, after a warm-up"),
            ("threads", "\(settings.threads)"), ("seed", "\(settings.seed)"),
            ("durability", settings.durability.map { $0.rawValue } ?? "as configured"),
            ("recording", settings.recording ?? "none"),
        ]
        let versions = comparison.versions.map { ($0.name, $0.value) }
        let subjects = comparison.subjects.map { subject in
            let settings = subject.settings.map { "\($0.name) = \($0.value)" }.joined(separator: ", ")
            return [
                Cell.subject(subject.name), .word(subject.storage), .word(settings.isEmpty ? "–" : settings),
            ]
        }
        return section(
            "setup", "Setup", nil,
            [
                definitions(facts + versions),
                table("Storages and their settings", ["name", "storage", "settings"], subjects),
            ])
    }

    /// Every number of rows, then every round.
    var figures: Section? {
        guard !groups.isEmpty else { return nil }
        let note =
            "The spread is half of the difference between the slowest and the fastest round. The latencies are those "
            + "of the round with the median speed."
        let rounds = HTML.element(
            "details", [:],
            [.element("summary", [:], HTML("Every round")), table("Every round", roundTitles, roundRows)])
        return section(
            "figures", "Figures", note, [table("Speed and latency", speedTitles, speedRows), rounds])
    }

    private var speedTitles: [String] {
        ["workload", "rows", "storage", "per second", "spread", "p50", "p90", "p99", "p99.9", "longest", ""]
    }

    private var speedRows: [[Cell]] {
        groups.flatMap { group in
            group.standings.map { standing in
                let start: [Cell] = [
                    .word(group.workload), .number(Quantity.count(group.rows)), .subject(standing.subject),
                ]
                guard let rate = standing.rate, let latencies = standing.typicalLatencies else {
                    return start + [Cell](repeating: .number("–"), count: 7) + [.word(standing.reason ?? "")]
                }
                let times = [latencies.p50, latencies.p90, latencies.p99, latencies.p999, latencies.max]
                return start + [
                    .number(Quantity.rate(rate.median)),
                    .number("±" + Quantity.percentage(rate.relativeHalfWidth)),
                ] + times.map { .number(Quantity.time(nanoseconds: $0)) } + [.word(standing.verdict)]
            }
        }
    }

    private var roundTitles: [String] {
        [
            "workload", "rows", "storage", "round", "operations", "seconds", "processor s", "p50 ns",
            "p99 ns", "max ns",
            "written B", "write calls", "memory B",
        ]
    }

    private var roundRows: [[Cell]] {
        comparison.results.flatMap { result in
            result.rounds.enumerated().map { index, round in
                let counts = [
                    round.latencies.p50, round.latencies.p99, round.latencies.max, round.writtenBytes,
                    round.writeCalls,
                    round.peakMemoryBytes,
                ]
                return [
                    .word(result.workload), .number(Quantity.count(result.rows)), .subject(result.subject),
                    .number("\(index + 1)"), .number(Quantity.count(round.operations)),
                    .number(Quantity.decimal(round.seconds, digits: 4)),
                    .number(Quantity.decimal(round.processorSeconds, digits: 4)),
                ] + counts.map { .number($0.map { Quantity.count($0) } ?? "–") }
            }
        }
    }
}
