import PatchbayCore
import PatchbayDomain
import Synchronization

/// Decodes answers of an API according to its definition.
final class RESTDecoder: AnswerDecoder {
    private let hooks: RESTHooks
    private let baseURL: String
    private let errors: ErrorRules
    private let shapes = Mutex<[ShapeKey: RowShape]>([:])

    init(hooks: RESTHooks, baseURL: String, errors: ErrorRules) {
        self.hooks = hooks
        self.baseURL = baseURL
        self.errors = errors
    }

    func page(
        _ answer: [UInt8], at rows: JSONPath, of resource: Resource, parent: Item?, from place: Int
    ) throws -> ItemPage {
        do {
            // Saved rows may be in any order.
            let shape = shape(resource, rows: rows, isOrdered: false)
            let read = try RowReading.list(shape, answer, parent: parent, from: place)
            if let refusal = read.refusal { throw refusal }
            var page = ItemPage(read.items)
            (page.emptied, page.altered) = (read.emptied, read.altered)
            return page
        } catch let fault as RowFault {
            throw ItemFault(fault.sentenceInRow, details: fault.detailsInRow)
        }
    }

    func error(in answer: [UInt8]) -> ItemFault? {
        guard errors.marks(answer) else { return nil }
        let text = errors.text(in: answer).map { ": " + Quotation.quoted($0) } ?? ""
        return ItemFault("this is not a list, but an error of the API" + text)
    }

    /// Returns the compiled shape of a resource's rows in a list, a search or a single row.
    ///
    /// - Parameters:
    ///   - isSearch: whether the rows are results of a search, which may leave out fields.
    ///   - keepsAll: whether the resource's own condition does not count.
    func shape(
        _ resource: Resource, rows: JSONPath, isOrdered: Bool = true, isSearch: Bool = false,
        keepsAll: Bool = false
    ) -> RowShape {
        let key = ShapeKey(
            resource: resource, rows: rows, isOrdered: isOrdered, isSearch: isSearch, keepsAll: keepsAll)
        if let shape = shapes.withLock({ $0[key] }) { return shape }
        var defaults: [String: @Sendable (Item) -> String?] = [:]
        let baseURL = baseURL
        for (name, value) in hooks.defaults where name.hasPrefix(resource.name + ".") {
            defaults[String(name.dropFirst(resource.name.count + 1))] = { value($0, baseURL) }
        }
        let shape = RowShape(
            resource, rows: rows, defaults: defaults, isOrdered: isOrdered, isSearch: isSearch,
            keepsAll: keepsAll)
        shapes.withLock { $0[key] = shape }
        return shape
    }
}

private struct ShapeKey: Hashable {
    let resource: Resource
    let rows: JSONPath
    let isOrdered: Bool
    let isSearch: Bool
    let keepsAll: Bool
}
