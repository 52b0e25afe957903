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
        readSize(manifest.component("page_size_option", of: paginator), strategy)
        let parameter = try token(manifest.component("page_token_option", of: paginator))
        switch strategy.type {
        case "PageIncrement":
            guard let parameter else {
                throw Refusal(reason: "has the number of a page in no parameter")
            }
            next =
                "page \(parameter)"
                + (strategy.value["start_from_page"]?.word == "1"
                    ? "" : " \(strategy.value["start_from_page"]?.word ?? "0")")
        case "OffsetIncrement":
            guard let parameter else { throw Refusal(reason: "has an offset in no parameter") }
            next = "offset \(parameter)"
        default: try readCursor(strategy, parameter)
        }
        parameters.removeAll { $0.name == parameter }
    }

    /// The parameter that says which page is requested; nil when the cursor is the page's address.
    private mutating func token(_ option: Component?) throws(Refusal) -> String? {
        guard let option, option.type != "RequestPath", option.value["inject_into"]?.word != "path" else {
            return nil
        }
        try checkPlace(of: option)
        guard let name = fieldName(of: option) else {
            throw Refusal(reason: "has the next page in a parameter whose name is not written out")
        }
        return name
    }

    private mutating func readSize(_ option: Component?, _ strategy: Component) {
        guard let option, let size = strategy.value["page_size"]?.word else { return }
        guard isSent(option) else {
            return note(
                "the size of pages is left out, because a definition cannot send it there", "page_size_option"
            )
        }
        guard let field = fieldName(of: option) else { return }
        if let number = AirbyteTemplate(size, strategy.parameters).defaulted, Int64(number) != nil {
            parameters.removeAll { $0.name == field }
            parameters.append((field, number))
        }
    }

    private func checkPlace(of option: Component) throws(Refusal) {
        guard !isSent(option) else { return }
        let phrase = "has the next page in"
        switch option.value["inject_into"]?.word ?? "" {
        case "request_parameter": throw Refusal(reason: "\(phrase) the address of a POST")
        case "body_json", "body_data": throw Refusal(reason: "\(phrase) the body of a GET")
        case "header": throw Refusal(reason: "\(phrase) a header")
        case let other: throw Refusal(reason: "\(phrase) \"\(DraftWords.shown(other))\"")
        }
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
