import PatchbayCore
import PatchbayDomain
import PatchbayJSON

/// Reads how a later sync requests only newer rows.
extension AirbyteStream {
    /// The lines about times of a resource.
    struct Since {
        /// The place of the time in a row.
        var path: [String]
        /// The parameter; nil if the time is in the template.
        var parameter: String?
        var form: TimeForm
        /// Where the first sync begins.
        var start: String
        var window: String?
        var overlap: String?
    }

    mutating func readTimes(_ cursor: Component?) throws(Refusal) {
        guard let cursor, let field = cursor.value["cursor_field"]?.word else {
            if times.start != nil { note("later syncs are not incremental") }
            return try dropTimes()
        }
        for name in ["start_time_option", "end_time_option"] {
            guard let option = manifest.component(name, of: cursor), isSent(option),
                let field = fieldName(of: option)
            else { continue }
            if name == "start_time_option" { times.start = (field, nil) } else { times.end = (field, nil) }
        }
        let start = times.start?.form.map(Self.form) ?? form
        guard cursor.type == "DatetimeBasedCursor", times.start != nil || hasTimes,
            let form = start ?? (times.start == nil ? .iso8601 : nil),
            let name = AirbyteTemplate(field, cursor.parameters).literal
        else {
            note("later syncs fetch the whole list, not only what changed", field)
            return try dropTimes()
        }
        let stated = self.start(of: cursor)
        var since = Since(
            path: [name], parameter: times.start?.name, form: form, start: stated ?? "2000-01-01",
            window: nil, overlap: overlap(of: cursor))
        readWindow(&since, cursor)
        // The connector always sends a beginning, without which some APIs return the newest rows only.
        if stated == nil {
            if since.window != nil { since.start = "2015-01-01" }
            isStartGuessed = true
            note("the connector's user chooses the beginning, for which \(since.start) is a guess")
        }
        self.since = since
    }

    /// The forms of the times in texts.
    private var writtenForms: [TimeForm] {
        (parameters.map(\.value) + [path]).flatMap { $0.matches(of: /\{(?:since|until):([^}]+)\}/) }
            .compactMap {
                // The check of the draft reports a form that cannot be read.
                try? TimeForm(reading: PercentEncoding.decoded($0.output.1))
            }
    }

    /// Reads the length of intervals, if their ends are sent.
    private mutating func readWindow(_ since: inout Since, _ cursor: Component) {
        let isInText = parameters.contains { $0.value.contains("{until") } || path.contains("{until")
        let step = cursor.value["step"]?.word ?? "", end = times.end?.name
        guard end != nil || isInText else { return }
        let ends = [times.end?.form.flatMap(Self.form) ?? form].compactMap(\.self)
        let shortest = (writtenForms + ends + [since.form]).map(\.unit).max() ?? .zero
        var window = Self.age(step, cursor, rounded: .down, atLeast: shortest)
        // The end of the only interval is now.
        if window == nil, isInText, step.isEmpty { window = "9000d" }
        if let window {
            since.window = window
            if let start = since.parameter {
                since.parameter = nil
                parameters.removeAll { $0.name == start }
                parameters.append((start, "{\(Template.Parameter.since(since.form))}"))
            }
            if let end, let form = times.end?.form.map(Self.form) ?? form {
                parameters.removeAll { $0.name == end }
                parameters.append((end, "{\(Template.Parameter.until(form))}"))
            }
        } else if let end, step.isEmpty {
            note(
                "the parameter \(DraftWords.shown(end)) with the end of the interval, which is now, is left out"
            )
        } else {
            lack(
                "parameter \(DraftWords.shown(end ?? ""))",
                "with the end of an interval is left out, because the length of intervals is computed; add {until} "
                    + "and a window", step)
        }
    }

    private static func hasTime(_ text: String) -> Bool {
        text.contains("{since") || text.contains("{until")
    }

    /// Leaves out the parameters with times in their texts, which only an incremental sync has.
    private mutating func dropTimes() throws(Refusal) {
        for name in [times.start, times.end].compactMap({ $0?.name }) {
            lack("parameter \(DraftWords.shown(name))", "with a time is left out")
        }
        guard hasTimes else { return }
        if Self.hasTime(path) {
            throw Refusal(
                reason: "has a time in its address, but no form of times that a definition can express")
        }
        for (name, _) in parameters.filter({ Self.hasTime($0.value) }) {
            lack("parameter \(DraftWords.shown(name))", "with a time is left out")
        }
        parameters.removeAll { Self.hasTime($0.value) }
    }

    /// The beginning of the first interval, if the manifest states one.
    private func start(of cursor: Component) -> String? {
        let value = manifest.component("start_datetime", of: cursor)
        let text = value?.value["datetime"]?.word ?? cursor.value["start_datetime"]?.word ?? ""
        let template = AirbyteTemplate(text, cursor.parameters)
        var start = template.literal
        if case .setting(_, let other)? = template.expression { start = other }
        return start.flatMap { Timestamp($0) }.map { TimeForm.date.text(of: $0) }
    }

    /// A form of `strftime` as that of a definition; nil for one that it cannot express.
    static func form(_ format: String) -> TimeForm? {
        switch format {
        case "%s": return .seconds
        case "%ms": return .milliseconds
        case "%Y-%m-%d": return .date
        case "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S%z": return .iso8601
        default: break
        }
        let words = [
            ("%Y", "yyyy"), ("%m", "MM"), ("%d", "dd"), ("%H", "HH"), ("%M", "mm"), ("%S", "ss"), ("%z", "Z"),
            ("%f", "SSS"),
        ]
        let pattern = words.reduce(format) { $0.replacing($1.0, with: $1.1) }
        if pattern.contains("%") { return nil }
        // Without a form later syncs fetch the whole list, which a note states.
        return try? TimeForm(reading: pattern)
    }

    /// How long before its last time the connector requests rows again.
    private mutating func overlap(of cursor: Component) -> String? {
        guard let written = cursor.value["lookback_window"]?.word, !written.isEmpty else { return nil }
        guard let seconds = Self.seconds(written, cursor) else {
            note(
                "how long before the last time rows are requested again is computed; add since-overlap",
                written)
            return nil
        }
        // A definition overlaps by this much anyway.
        return seconds > 60 ? Self.age(written, cursor, rounded: .up) : nil
    }

    /// A length such as `P30D` as in a definition; nil for one that is computed or zero.
    private static func age(
        _ written: String, _ component: Component, rounded: FloatingPointRoundingRule,
        atLeast shortest: Duration = .zero
    ) -> String? {
        guard let stated = seconds(written, component), stated >= 1, stated < 10_000 * 86_400 else {
            return nil
        }
        let seconds = max(stated, shortest / .seconds(1))
        let units = [(86_400.0, "d"), (3_600, "h"), (60, "m"), (1, "s")]
        // The largest unit that divides the length, unless there would be too many.
        let exact = units.first {
            seconds.truncatingRemainder(dividingBy: $0.0) == 0 && seconds / $0.0 <= 1e6
        }
        let (length, unit) = exact ?? units.first { seconds >= $0.0 } ?? (1, "s")
        return "\(Int((seconds / length).rounded(rounded)))\(unit)"
    }

    /// The seconds of a length of ISO 8601, with the defaults of its settings; months have 30 days.
    static func seconds(_ written: String, _ component: Component) -> Double? {
        let form =
            /P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?/
        guard let text = AirbyteTemplate(written, component.parameters).defaulted?.trimmed,
            let match = text.wholeMatch(of: form)?.output
        else { return nil }
        let counts: [Substring?] = [match.1, match.2, match.3, match.4, match.5, match.6, match.7]
        guard counts.contains(where: { $0 != nil }) else { return nil }
        let lengths: [Double] = [31_536_000, 2_592_000, 604_800, 86_400, 3_600, 60, 1]
        var seconds = 0.0
        for (count, length) in zip(counts, lengths) {
            seconds += length * (count.flatMap { Double($0) } ?? 0)
        }
        return seconds
    }
}
