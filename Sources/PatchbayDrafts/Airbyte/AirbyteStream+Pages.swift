import PatchbayDomain
import PatchbayJSON

/// Reads how pages follow each other.
extension AirbyteStream {
    mutating func readPages(_ paginator: Component?) throws(Refusal) {
        guard let paginator, paginator.type != "NoPagination",
            let strategy = manifest.component("pagination_strategy", of: paginator)
        else { return }
        guard !strategy.type.isEmpty || strategy.className != nil else {
            throw Refusal(reason: "has a pagination_strategy without a type")
        }
        try Self.checkType(
            strategy, ["PageIncrement", "OffsetIncrement", "CursorPagination", "CursorPaginationStrategy"],
            manifest)
        readSize(manifest.component("page_size_option", of: paginator), strategy)
        let parameter = try token(manifest.component("page_token_option", of: paginator)) ?? tokenParameter
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
            let isPage = DraftPaging.isPageNumber(parameter)
            next = isPage ? "page \(parameter)" : "offset \(parameter)"
            if isPage { doubts.append(.offset(sentAs: parameter)) }
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
        if let number = AirbyteTemplate(size, strategy.parameters).defaulted?.trimmed, Int64(number) != nil {
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
        let stop = strategy.value["stop_condition"]?.word ?? ""
        end = Self.end(stop, rows: rows)
        var written = value
        // A cursor is followed on a condition.
        let form = /\s*\{\{\s*(.+?)\s+if\s+(.+?)(?:\s+else\s+(?:[Nn]one|''|""|\{\}|null))?\s*\}\}\s*/
        if let match = value.wholeMatch(of: form)?.output {
            written = "{{ \(match.1) }}"
            end = end ?? Self.end("{{ \(match.2) }}", isContinued: true, rows: rows)
        }
        if let found = Self.address(in: written) ?? parameter.flatMap({ Self.number(in: written, $0) }) {
            next = found
            if found.hasPrefix("page") { doubts.append(.firstPage(taken: 0)) }
            return dropEnd()
        }
        var cursor = AirbyteTemplate(written, strategy.parameters).expression.map(ofLastRow)
        if case .lastRow(let path)? = cursor, rows != .whole, schema?["properties"] != nil,
            schema?["properties"]?[path[0]] == nil, !key.contains(path)
        {
            if parameter == nil || DraftPaging.isNext(path) || DraftPaging.isCursor(path) {
                note(
                    "the last row has no declared \(DraftWords.shown(path[0])); the answer's member is a guess",
                    value)
                cursor = .answer(path)
            } else {
                doubts.append(.undeclared(path[0]))
            }
        }
        switch cursor {
        case .nextLink?: next = "link"
        case .header(let name)?:
            guard let parameter else { throw Refusal(reason: "follows a header without a parameter") }
            next = "header \(parameter) \(name)"
        case .answer(let path)? where !path.contains("-1"):
            next = parameter.map { "cursor \($0) " } ?? "url "
            next! += try spelled(path)
        case .lastRow(let path)?:
            guard let parameter else { throw Refusal(reason: "follows the last row without a parameter") }
            next = "last \(parameter) \(DraftWords.name(path.joined(separator: "-")))"
            lastPath = path
            if key.isEmpty { key = [path] }
        default:
            throw Refusal(reason: "computes its next page\(manifest.place(of: value))")
        }
        dropEnd()
    }

    /// The absence of a cursor ends a list anyway.
    private mutating func dropEnd() {
        if let next, let end, end.hasPrefix("not "), next.hasSuffix(" " + end.dropFirst(4)) { self.end = nil }
    }

    /// How a list follows the address of the next page, out of which an expression takes the cursor, or which it
    /// selects among links; nil for another expression.
    private static func address(in written: String) -> String? {
        let text = written.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        func url(_ member: Substring, _ steps: [JSONPath.Step] = []) -> String? {
            guard case .answer(let path)? = AirbyteTemplate("{{ \(member) }}").expression else { return nil }
            let place = JSONPath(path.map { JSONPath.Step.member($0) } + steps)
            return RowPlaces.isSpelled(place) ? "url \(place)" : nil
        }
        if AirbyteTemplate(text).unknown != nil, text.contains(/headers[^|]*?["'][Ll]ink["']/) {
            return "link"
        }
        let taken = /\{\{ ?(response[^|]*?) ?(?:\| ?regex_search\(|\.split\() ?["'][^"']*=.*\}\}/
        if let match = text.wholeMatch(of: taken)?.output { return url(match.1) }
        let selected =
            #/
            \{\{\ ?(response.*?)\ ?\|\ ?selectattr\(\ ?["'](\w+)["'],\ ?["'](?:equalto|eq|==)["'],
            \ ?["'](\w+)["']\ ?\)\ ?\|\ ?map\(\ ?attribute\ ?=\ ?["'](\w+)["']\ ?\).*\}\}
            /#
        guard let match = text.wholeMatch(of: selected)?.output else { return nil }
        let link = JSONPath.Step.matching(member: String(match.2), text: String(match.3))
        return url(match.1, [link, .member(String(match.4))])
    }

    /// How a list follows the number of this page plus one, of which nothing says that the first is not 0.
    private static func number(in written: String, _ parameter: String) -> String? {
        let next = /\s*\{\{\s*(response[^|+]+?)\s*(?:\|\s*int(?:\(\s*\))?\s*)?\+\s*1\s*\}\}\s*/
        guard let match = written.wholeMatch(of: next)?.output,
            case .answer? = AirbyteTemplate("{{ \(match.1) }}").expression
        else { return nil }
        return "page \(parameter) 0"
    }

    /// Leaves the parameters of partitions and times out of later pages, where the connector does.
    mutating func checkLaterPages(_ retriever: Component) {
        let member = "ignore_stream_slicer_parameters_on_paginated_requests"
        guard retriever.value[member]?.isTrue ?? false, let next,
            !["url", "link", "none"].contains(String(next.prefix { $0 != " " }))
        else { return }
        let own = [times.start?.name, times.end?.name].compactMap(\.self).filter { name in
            since?.parameter == name || parameters.contains { $0.name == name }
        }
        let first = partitionParameters.union(own)
        guard !first.isEmpty else { return }
        let hasOthers =
            parameters.contains { !first.contains($0.name) } || path.contains("?") || url.contains("?")
        if next.hasPrefix("cursor "), !hasOthers {
            self.next = next + " alone"
        } else {
            lacks.append(.pages(first.sorted()))
            note("the connector sends \(DraftWords.list(first.sorted())) with the first page only", member)
        }
    }

    /// What ends a list, for a condition about one member of the answer; nil for another condition.
    ///
    /// - Parameter isContinued: whether the list continues, rather than ends, where the condition holds.
    private static func end(_ condition: String, isContinued: Bool = false, rows: JSONPath) -> String? {
        let form =
            #/
            \{\{\s*(not\s+)?
            (response[.\[].+?|last_page_size|last_records?)\s*
            (?:(==|is|>)\s*(\w+))?\s*\}\}
            /#
        guard let match = condition.trimmed.wholeMatch(of: form)?.output else { return nil }
        var member = String(match.2), isNegated = (match.1 != nil) != isContinued
        let isCounted = member.firstMatch(of: /\s*\|\s*(?:length|count)$/)
        if let isCounted { member.removeSubrange(isCounted.range) }
        switch (match.3, match.4?.lowercased()) {
        case (nil, nil): break
        case ("==", "true"), ("is", "true"): break
        case ("==", "false"), ("is", "false"), ("==", "0"): isNegated.toggle()
        case (">", "0"): break
        default: return nil
        }
        if member.hasPrefix("last_") { return isNegated ? "empty" : nil }
        guard case .answer(let path)? = AirbyteTemplate("{{ \(member) }}").expression,
            let spelled = DraftPaging.spelled(path)
        else { return nil }
        if rows == JSONPath(members: path) { return isNegated ? "empty" : nil }
        return isCounted == nil ? (isNegated ? "not " : "") + spelled : nil
    }

    /// The place of the cursor in the last row, if the schema does not declare it.
    var undeclaredLastPath: [String]? {
        guard let lastPath, lastPath.count > 1 || schema?["properties"]?[lastPath[0]] == nil else {
            return nil
        }
        return lastPath
    }

    /// The cursor; a member of the last row if the answer's path leads there.
    private func ofLastRow(_ cursor: AirbyteTemplate.Part) -> AirbyteTemplate.Part {
        guard case .answer(let path) = cursor, let last = path.firstIndex(of: "-1"), last + 1 < path.count,
            rows == JSONPath(members: path[..<last])
        else { return cursor }
        return .lastRow(Array(path[(last + 1)...]))
    }
}
