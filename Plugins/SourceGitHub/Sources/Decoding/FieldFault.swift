/// What is wrong with an answer's JSON, and in which member.
struct FieldFault: Error {
    /// Such as `[3].site_admin`; empty for the answer as a whole.
    let path: String
    let problem: String

    init(_ path: String, _ problem: String) {
        self.path = path
        self.problem = problem
    }

    func inElement(_ index: Int) -> FieldFault {
        FieldFault("[\(index)]" + (path.isEmpty ? "" : "." + path), problem)
    }

    func inMember(_ name: String) -> FieldFault {
        FieldFault(path.isEmpty ? name : "\(name).\(path)", problem)
    }

    var sentence: String { path.isEmpty ? problem : Quotation.plain(path) + ": " + problem }
}
