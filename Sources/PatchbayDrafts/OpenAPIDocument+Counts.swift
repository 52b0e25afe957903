import PatchbayCore
import PatchbayJSON

/// Why a document has no samples.
extension OpenAPIDocument {
    /// Why no list was found, as the end of a sentence, with counts of what the document has instead.
    package var emptiness: String {
        let operations = paths.flatMap { _, item in
            let item = resolved(item)
            return Self.methods.compactMap { method in item[method].map { (method, resolved($0)) } }
        }
        let gets = operations.filter { $0.0 == "get" }
        let missing =
            unreadFiles.isEmpty
            ? ""
            : "; it refers to \(DraftWords.list(unreadFiles, max: 3)), which "
                + "\(unreadFiles.count == 1 ? "is" : "are") not below the folder of the document"
        let reasons = unreadableFiles.prefix(3).map { "; \($0.reason)" }.joined()
        let files = missing + reasons
        guard !gets.isEmpty else {
            return operations.isEmpty
                ? "describes no operation\(files)"
                : "describes no GET, but \(Count.words(operations.count, "other operation"))\(files); "
                    + "use an answer or a recording of the API"
        }
        let bare = gets.count { _, get in response(of: get).flatMap { media(of: $0, to: get) } == nil }
        return
            "describes no GET that returns JSON objects: of \(Count.words(gets.count, "GET")), \(bare) "
            + "declare no JSON answer, \(gets.count - bare) another one\(files); use an answer or a recording of the "
            + "API"
    }

    /// What was not drafted, as parts of a sentence.
    func notes(besides count: Int) -> [String] {
        let others = paths.count { resolved($0.value)["get"] != nil } - count
        func files(_ paths: [String], _ fault: String) -> [String] {
            let count = Count.words(paths.count, "file that is", "files that are")
            return paths.isEmpty ? [] : ["\(count) \(fault): \(DraftWords.list(paths))"]
        }
        return (others > 0 ? ["\(Count.words(others, "GET")) without a JSON answer"] : [])
            + files(unreadFiles, "missing or not below the folder")
            + files(unreadableFiles.map(\.path), "neither JSON nor YAML")
    }

    private static let methods = ["get", "post", "put", "patch", "delete", "head", "options"]
}
