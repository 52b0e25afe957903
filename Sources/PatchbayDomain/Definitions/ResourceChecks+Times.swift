import PatchbayCore

extension ResourceChecks {
    /// Checks the lines about the times between which rows are requested, and `{since}` and `{until}` in paths.
    mutating func checkTimes(_ draft: ResourceDraft) {
        let resource = draft.declaration, noun = spelled(resource.name)
        guard draft.lines["since"] != nil, let since = resource.since else {
            for key in ["since-overlap", "since-start", "window"] {
                guard let entry = draft.lines[key] else { continue }
                faults.add(entry, "has no meaning without \(noun).since")
            }
            for list in resource.lists where list.template.hasSince || list.template.hasUntil {
                guard let entry = entry(of: list, draft) else { continue }
                faults.add(
                    entry,
                    "has {since} or {until}, but nothing says which field has the time; add \(noun).since = FIELD"
                )
            }
            return
        }
        let template = resource.list(named: nil)?.template
        let isTime = since.form != .iso8601 || since.window != nil || template?.hasTimeInOtherForm == true
        require([since.field], isTime ? [.time] : [.time, .integer, .text], draft, "since")
        check(since, template, draft, noun)
        for list in resource.lists where list.template.hasUntil && since.window == nil {
            guard let entry = entry(of: list, draft) else { continue }
            faults.add(entry, "has {until}, the end of a period; add its length: \(noun).window = 30d")
        }
    }

    private mutating func check(
        _ since: SinceDeclaration, _ template: Template?, _ draft: ResourceDraft, _ noun: String
    ) {
        let hasSince = template?.hasSince == true
        if let entry = draft.lines["since"], hasSince == (since.parameter != nil) {
            faults.add(
                entry,
                hasSince
                    ? "names a parameter, but \(noun).path has {since}; keep one of them"
                    : "names no parameter; write PARAM FIELD, or put {since} into \(noun).path")
        }
        if let entry = draft.lines["window"] {
            if template?.hasUntil != true {
                faults.add(entry, "needs the end of a period in \(noun).path: {until}")
            } else if since.start == nil {
                faults.add(
                    entry, "needs the beginning of the first period; add \(noun).since-start = 2015-01-01")
            } else if let window = since.window,
                window < max(template?.timeUnit ?? .zero, since.parameter == nil ? .zero : since.form.unit)
            {
                faults.add(
                    entry,
                    "is shorter than the difference between two times as they are sent, such as two dates; make it "
                        + "longer, or send times of another form")
            }
        }
        if since.start == nil, template?.needsSince == true, let entry = draft.lines["path"] {
            faults.add(
                entry,
                "has {since} outside its query, so that the first sync needs a value; add \(noun).since-start = "
                    + "2015-01-01")
        }
    }

    private func entry(of list: ListDeclaration, _ draft: ResourceDraft) -> ConfigurationFile.Entry? {
        draft.lines[list.name.map { "path.\($0)" } ?? "path"]
    }
}

extension Template {
    /// The length of the shortest difference between two texts of a time that can be sent.
    fileprivate var timeUnit: Duration? {
        parameters.compactMap {
            switch $0 {
            case .since(let form), .until(let form): form.unit
            default: nil
            }
        }.max()
    }

    /// Whether a time is written in another form than that of every type.
    fileprivate var hasTimeInOtherForm: Bool {
        parameters.contains {
            switch $0 {
            case .since(let form), .until(let form): form != .iso8601
            default: false
            }
        }
    }

    /// Whether `{since}` is not in the query, whose items can be left out.
    fileprivate var needsSince: Bool {
        for piece in pieces {
            switch piece {
            case .literal(let text) where text.contains("?"): return false
            case .parameter(.since): return true
            default: continue
            }
        }
        return false
    }
}
