import PatchbayDomain
import PatchbayJSON

/// Reads how pages follow each other.
extension AirbyteStream {
    mutating func readPages(_ paginator: Component?) throws(Refusal) {
        guard let paginator, paginator.type != "NoPagination",
            let strategy = manifest.component("pagination_strategy", of: paginator)
        else { return }
        try Self.checkType(
            strategy, ["PageIncrement", "OffsetIncrement", "CursorPagination", "CursorPaginationStrategy"],
            manifest)
        let token = manifest.component("page_token_option", of: paginator)
        let parameter = token.flatMap {
            $0.value["inject_into"]?.word == "path" ? nil : $0.value["field_name"]?.word
        }
        let isParameter =
            ["request_parameter", "body_json", "body_data"].contains(token?.value["inject_into"]?.word ?? "")
        if let size = strategy.value["page_size"]?.word,
            let option = manifest.component("page_size_option", of: paginator),
            let field = option.value["field_name"]?.word
        {
            let template = AirbyteTemplate(size, strategy.parameters)
            var number = template.literal
            if case .setting(_, let other)? = template.expression { number = other }
            if let number, Int64(number) != nil {
                parameters.removeAll { $0.name == field }
                parameters.append((field, number))
            }
        }
        switch strategy.type {
        case "PageIncrement":
            guard isParameter, let parameter else {
                throw Refusal(reason: "has the number of a page in no parameter")
            }
            next =
                "page \(parameter)"
                + (strategy.value["start_from_page"]?.word == "1"
                    ? "" : " \(strategy.value["start_from_page"]?.word ?? "0")")
        case "OffsetIncrement":
            guard isParameter, let parameter else { throw Refusal(reason: "has an offset in no parameter") }
            next = "offset \(parameter)"
        default: try readCursor(strategy, isParameter ? parameter : nil)
        }
        parameters.removeAll { $0.name == parameter }
    }

    private mutating func readCursor(_ strategy: Component, _ parameter: String?) throws(Refusal) {
        let value = strategy.value["cursor_value"]?.word ?? ""
        func spelled(_ path: [String]) throws(Refusal) -> String {
            guard let text = DraftPaging.spelled(path) else {
                throw Refusal(reason: "has a cursor that no path can name")
            }
            return text
        }
        switch AirbyteTemplate(value, strategy.parameters).expression.map(ofLastRow) {
        case .nextLink?: next = "link"
        case .answer(let path)? where !path.contains("-1"):
            next = parameter.map { "cursor \($0) " } ?? "url "
            next! += try spelled(path)
        case .lastRow(let path)?:
            guard let parameter else { throw Refusal(reason: "follows the last row without a parameter") }
            next = "last \(parameter) \(DraftWords.name(path.joined(separator: "-")))"
            if key.isEmpty { key = [path] }
        default:
            throw Refusal(reason: "computes its next page\(manifest.place(of: value))")
        }
        let stop = strategy.value["stop_condition"]?.word ?? ""
        let flag = stop.firstMatch(
            of: /not\s+response(?:\.get\()?[.\['"]*(has_?[mM]ore|has_?[nN]ext\w*|more)/)
        if let flag { end = "not \(flag.output.1)" }
    }

    /// The cursor; a member of the last row if the answer's path leads there.
    private func ofLastRow(_ cursor: AirbyteTemplate.Part) -> AirbyteTemplate.Part {
        guard case .answer(let path) = cursor, let last = path.firstIndex(of: "-1"), last + 1 < path.count,
            rows == JSONPath(path[..<last].map { .member($0) })
        else { return cursor }
        return .lastRow(Array(path[(last + 1)...]))
    }
}
