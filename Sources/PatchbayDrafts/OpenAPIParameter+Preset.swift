import PatchbayJSON

/// Parameters that select rows even if a request does not have them.
extension OpenAPIParameter {
    private static let selecting: Set<String> = [
        "active", "archived", "closed", "deleted", "disabled", "enabled", "hidden", "inactive", "kind",
        "open",
        "published", "scope", "state", "states", "status", "statuses", "trashed", "type", "types",
        "visibility",
        "visible",
    ]
    /// Words of names whose values select how rows are written, not which.
    private static let writing: Set<String> = [
        "content", "direction", "encoding", "file", "format", "media", "mime", "order", "output", "response",
        "sort", "sorting",
    ]
    private static let everything: Set<String> = ["all", "any", "both", "every"]

    /// How the parameter selects rows if it is not sent, in a word or two; nil if nothing shows that it does.
    var preset: String? {
        guard case .other = role else { return nil }
        return presetTime ?? presetChoice
    }

    /// Fewer rows than all because of a choice with a default: `status`, which is `active`.
    private var presetChoice: String? {
        let words = Set(DraftWords.split(name))
        guard !words.isDisjoint(with: Self.selecting), words.isDisjoint(with: Self.writing) else {
            return nil
        }
        if types == ["boolean"], case .bool(let isOn)? = schema["default"] { return "\(isOn)" }
        let choices = (schema["enum"] ?? schema["items"]?["enum"])?.elements.compactMap(\.word) ?? []
        let chosen =
            schema["default"]?.word.map { [$0] } ?? schema["default"]?.elements.compactMap(\.word) ?? []
        let isAll = chosen.contains { !Self.everything.isDisjoint(with: DraftWords.split($0)) }
        guard !chosen.isEmpty, chosen != [""], !isAll, !Set(choices).isSubset(of: chosen) else { return nil }
        return chosen.joined(separator: ", ")
    }

    /// A time before today at which the list begins if nothing else is requested.
    private var presetTime: String? {
        let ends = ["before", "end", "max", "to", "until"]
        guard DraftWords.split(name).allSatisfy({ !ends.contains($0) }) else { return nil }
        let time =
            #/
            (?i)\b(?:default\w*|omitted|not\ (?:set|given|provided|specified)|unspecified)\b[^.;]{0,60}
            \b(?:(?:days?|weeks?|months?|years?|hours?)\ ago|yesterday|today
            |(?:last|past|previous|current)\ (?:\d+\ )?(?:\w+\ )?(?:day|week|month|year|hour)s?)\b
            /#
        return description.contains(time) ? "a recent time" : nil
    }
}
