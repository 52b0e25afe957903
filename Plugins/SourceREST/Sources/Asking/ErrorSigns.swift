import PatchbayCore
import PatchbayDomain

/// The members by which APIs usually state, with a status below 400, that a request failed or that rows are missing.
struct ErrorSigns {
    /// A member and its value, such as `"success" is false`; nil when there is none.
    let sign: String?

    private static let errors: Set = [
        "error", "errors", "errorcode", "errcode", "errno", "errormessage", "fault", "exception",
    ]
    private static let successes: Set = ["success", "ok", "succeeded"]
    private static let states: Set = ["status", "stat", "statuscode"]
    /// Words of a state, as in `OVER_QUERY_LIMIT`.
    private static let failures: Set<Substring> = [
        "denied", "error", "exceeded", "fail", "failed", "failure", "forbidden", "invalid", "limit",
        "limited", "throttled", "timeout", "unauthorized", "unavailable",
    ]
    private static let losses: Set = [
        "timedout", "incompleteresults", "partial", "ispartial", "partialresults",
    ]
    private static let all = errors.union(successes).union(states).union(losses)
    /// Members that contain a whole answer. Others that contain rows may be rows themselves, with states of their own.
    private static let envelopes: Set = ["response", "result", "body", "payload"]
    /// Members that contain what an answer says about itself.
    private static let headers: Set = [
        "meta", "metadata", "header", "responseheader", "status", "responsestatus",
    ]
    /// A member that may be of the thing that has the rows, unless a message is beside it.
    private static let codes: Set = ["code"]
    private static let messages: Set = ["message", "msg"]
    /// Those that say why rows are missing, beside nothing in their place.
    private static let reasons = messages.union(["errmsg", "errormsg"])
    /// Codes and texts of success.
    private static let none: Set = ["0", "ok", "none", "success"]
    private static let successWords: Set<Substring> = [
        "ok", "success", "successful", "successfully", "succeeded",
    ]
    /// What an empty list has none of.
    private static let rowWords: Set<Substring> = [
        "data", "entries", "entry", "item", "items", "match", "matches", "record", "records", "result",
        "results", "row", "rows",
    ]
    /// The member in which Elasticsearch counts the parts of an index that did not answer.
    private static let shards = "_shards"

    /// Finds the sign in the body of an answer, beside the member that contains its rows.
    ///
    /// - Parameter isErrorDeclared: whether the definition states where an error is, so that only missing rows count.
    init(_ body: [UInt8], rows: JSONPath, isErrorDeclared: Bool) {
        let usual = isErrorDeclared ? Self.losses : Self.all
        let found = usual.union(Self.headers).union(Self.codes).union(Self.reasons)
        // Without a member of their own, the members of the body are rows, or fields of one.
        let members = BodyValue.members(
            of: body, beside: rows, within: { Self.envelopes.contains(EndSigns.folded($0)) },
            where: { $0 == Self.shards || found.contains(EndSigns.folded($0)) })
        let hasMessage = members.contains {
            Self.messages.contains(EndSigns.folded($0.path.last ?? "")) && !$0.value.isEmpty
        }
        let wanted = hasMessage && !isErrorDeclared ? usual.union(Self.codes) : usual
        let sign = members.lazy.compactMap { Self.sign($0.path, $0.value, wanted) }.first
        self.sign = sign ?? (isErrorDeclared ? nil : Self.refusal(members, inPlaceOf: rows, in: body))
    }

    /// The code or the message of an answer that has nothing in place of its rows, such as an empty array; nil when it
    /// has none, as an API that leaves out an empty list, and when anything states success. Without even a null, they
    /// may be of a thing that has no rows, unless the code is a number or nothing else is there.
    private static func refusal(
        _ members: [(path: [String], value: BodyValue)], inPlaceOf rows: JSONPath, in body: [UInt8]
    ) -> String? {
        let inner = members.filter { headers.contains(EndSigns.folded($0.path.last ?? "")) }.flatMap {
            header in
            header.value.members.map { (path: header.path + [$0.name], value: $0.value) }
        }
        func first(_ names: Set<String>) -> (path: JSONPath, text: String)? {
            (members + inner).lazy.compactMap { path, value in
                guard names.contains(EndSigns.folded(path.last ?? "")), let text = value.word else {
                    return nil
                }
                return (JSONPath(members: path), text)
            }.first
        }
        let message = first(reasons), code = first(codes)
        if code == nil, let message, statesNoRows(message) { return nil }
        guard message != nil || code != nil else { return nil }
        let place = BodyValue(at: JSONPath(members: rows.leadingNames), in: body)
        guard place.map({ $0 == .null }) ?? true else { return nil }
        if (members + inner).contains(where: { statesSuccess(EndSigns.folded($0.path.last ?? ""), $0.value) })
        {
            return nil
        }
        let words = message?.text.lowercased().split { !$0.isLetter } ?? []
        if words.contains(where: successWords.contains), !words.contains("not") { return nil }
        let isNumber = code.map { Int($0.text) != nil } ?? false
        let isAlone = BodyValue(at: JSONPath.whole, in: body)?.members.count == members.count
        guard isNumber || message != nil && (place != nil || isAlone) else { return nil }
        return (message ?? code).map {
            "\"\($0.path)\" is \(Quotation.quoted($0.text)) and the rows are missing"
        }
    }

    /// Whether a message is that of an empty list, such as "No records found", and nothing more.
    private static func statesNoRows(_ message: (path: JSONPath, text: String)) -> Bool {
        let words = message.text.lowercased().split { " .!".contains($0) }
        guard case .member(let name)? = message.path.steps.last, messages.contains(EndSigns.folded(name)),
            words.first == "no"
        else { return false }
        let rest = words.dropFirst(2)
        return words.dropFirst().first.map(rowWords.contains) ?? false
            && (rest.isEmpty
                || rest.last == "found" && rest.dropLast().allSatisfy { $0 == "was" || $0 == "were" })
    }

    /// Whether a member with this name states that the request has succeeded.
    private static func statesSuccess(_ folded: String, _ value: BodyValue) -> Bool {
        let word = value.word?.lowercased() ?? ""
        if successes.contains(folded) { return value == .boolean(true) || ["1", "true"].contains(word) }
        if errors.contains(folded) { return value.isEmpty }
        guard states.contains(folded) || codes.contains(folded) else { return false }
        return none.contains(word) || word.hasPrefix("200")
            || Int(word).map { $0 == 0 || (200...299).contains($0) } ?? false
    }

    private static func sign(_ path: [String], _ value: BodyValue, _ wanted: Set<String>) -> String? {
        if path.last == shards {
            let failed = value.members.first { $0.name == "failed" }?.value
            return failed?.isMark == true ? "\"\(shards)/failed\" is \(failed?.shown ?? "set")" : nil
        }
        let folded = EndSigns.folded(path.last ?? "")
        if wanted.contains(folded), let sign = sign(folded, JSONPath(members: path), value) {
            return sign
        }
        guard headers.contains(folded) else { return nil }
        return value.members.lazy.compactMap { member in
            wanted.contains(EndSigns.folded(member.name))
                ? sign(path + [member.name], member.value, wanted) : nil
        }.first
    }

    private static func sign(_ folded: String, _ path: JSONPath, _ value: BodyValue) -> String? {
        switch value {
        case .boolean(true): return losses.contains(folded) ? "\"\(path)\" is true" : nil
        case .boolean, .text, .number:
            let text = value.shown ?? ""
            if successes.contains(folded) {
                return ["false", "0"].contains(text.lowercased()) ? "\"\(path)\" is \(text)" : nil
            }
            if states.contains(folded) || codes.contains(folded) {
                if let code = Int(text), (400...599).contains(code) { return "\"\(path)\" is \(text)" }
                let words = text.lowercased().split { !$0.isLetter }
                return words.contains(where: failures.contains) ? "\"\(path)\" is \(text)" : nil
            }
            fallthrough
        default:
            guard errors.contains(folded), !value.isEmpty else { return nil }
            let code = value.members.first { $0.name == "code" }?.value ?? value
            let isNone = code.shown.map { none.contains($0.lowercased()) } ?? false
            return isNone ? nil : "there is a value at \"\(path)\""
        }
    }
}
