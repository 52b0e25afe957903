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
        var start: String?
        var window: String?
    }

    mutating func readTimes(_ cursor: Component?) {
        guard let cursor, let field = cursor.value["cursor_field"]?.word else {
            if times.start != nil { note("later syncs are not incremental") }
            return
        }
        func parameter(_ name: String) -> String? {
            let option = manifest.component(name, of: cursor)?.value
            return option?["inject_into"]?.word == "request_parameter" ? option?["field_name"]?.word : nil
        }
        guard cursor.type == "DatetimeBasedCursor",
            let start = parameter("start_time_option") ?? times.start,
            let form = Self.form(cursor.value["datetime_format"]?.word ?? ""),
            let name = AirbyteTemplate(field, cursor.parameters).literal
        else {
            return note("later syncs fetch the whole list, not only what changed", field)
        }
        var since = Since(
            path: [name], parameter: start, form: form, start: self.start(of: cursor), window: nil)
        let step = cursor.value["step"]?.word.flatMap { AirbyteTemplate($0, cursor.parameters).literal }
        if let end = parameter("end_time_option") ?? times.end {
            if let window = step.flatMap(Self.age) {
                since.parameter = nil
                since.window = window
                if since.start == nil {
                    since.start = "2015-01-01"
                    note("the connector's user chooses the beginning; since-start is a guess")
                }
                parameters.removeAll { $0.name == start || $0.name == end }
                parameters += [
                    (start, "{\(Template.Parameter.since(form))}"),
                    (end, "{\(Template.Parameter.until(form))}"),
                ]
            } else {
                note(
                    "the parameter \(DraftWords.shown(end)) with the end of the interval, which is now, is left out"
                )
            }
        }
        self.since = since
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
    private static func form(_ format: String) -> TimeForm? {
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

    /// The length of `P30D`, `P1W` or `PT1H` as in a definition; months have 30 days.
    private static func age(_ text: String) -> String? {
        guard let match = text.wholeMatch(of: /P(?:([0-9]+)([DWMY])|T([0-9]+)([HM]))/) else { return nil }
        let days = ["D": 1, "W": 7, "M": 30, "Y": 365]
        if let count = match.output.1.flatMap({ Int($0) }),
            let unit = match.output.2.flatMap({ days[String($0)] }),
            count > 0, count < 10_000
        {
            return "\(count * unit)d"
        }
        guard let count = match.output.3.flatMap({ Int($0) }), count > 0, let unit = match.output.4 else {
            return nil
        }
        return "\(count)\(unit.lowercased())"
    }
}
