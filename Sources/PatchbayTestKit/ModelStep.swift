import PatchbayCore

/// One operation of a random test inside a transaction.
enum ModelAction: Sendable {
    case put(Values, CollectionSchema)
    case delete(Key, CollectionSchema)
    case deleteAll(CollectionSchema)
    case get(Key, CollectionSchema, FieldSet)
    case scan(Query)
    case count(Query)
}

/// The result of an operation, on which the model and the storage must agree.
enum ModelOutcome: Sendable, Equatable {
    case done
    case answered(Bool)
    case row(Values?)
    case rows([Values])
    case counted(Int)
    case refused
    /// With the index that the error names (`PatchbayError.Detail.index`).
    case conflict(index: String?)
}

/// One step of a random test.
enum ModelStep: Sendable {
    case write([ModelAction])
    case rollback([ModelAction])
    case read([ModelAction])
    case reopen
}

extension ModelAction {
    /// Runs a reading operation; returns nil for others.
    func read(_ reader: any StorageReader) throws -> ModelOutcome? {
        try refusing {
            switch self {
            case .get(let key, let collection, let fields):
                return .row(try reader.values(key, in: collection, fields: fields))
            case .scan(let query): return .rows(try reader.rows(query))
            case .count(let query): return .counted(try reader.count(query))
            case .put, .delete, .deleteAll: return nil
            }
        }
    }

    /// Runs any operation.
    func run(_ writer: any StorageWriter) throws -> ModelOutcome? {
        try refusing {
            switch self {
            case .put(let values, let collection):
                try writer.put(values, in: collection)
                return .done
            case .delete(let key, let collection): return .answered(try writer.delete(key, in: collection))
            case .deleteAll(let collection):
                try writer.deleteAll(in: collection)
                return .done
            case .get, .scan, .count: return try read(writer)
            }
        }
    }

    /// Converts the errors that the protocol promises into outcomes.
    private func refusing(_ body: () throws -> ModelOutcome?) throws -> ModelOutcome? {
        do {
            return try body()
        } catch let error as PatchbayError where error.code == .conflict {
            return .conflict(index: error.index)
        } catch let error as PatchbayError where error.code == .invalidValue {
            return .refused
        }
    }
}

extension ModelAction: CustomStringConvertible {
    var description: String {
        switch self {
        case .put(let values, let collection): "put \(values) in \(collection.name)"
        case .delete(let key, let collection): "delete \(key.escaped) in \(collection.name)"
        case .deleteAll(let collection): "delete all in \(collection.name)"
        case .get(let key, let collection, _): "get \(key.escaped) in \(collection.name)"
        case .scan(let query): "scan \(query.description)"
        case .count(let query): "count \(query.description)"
        }
    }
}

extension ModelStep: CustomStringConvertible {
    var description: String {
        func list(_ actions: [ModelAction]) -> String {
            let shown = actions.count > 12 ? actions.suffix(12) : actions[...]
            let rest = actions.count > 12 ? "\(actions.count - 12) more before; " : ""
            return rest + shown.map(\.description).joined(separator: "; ")
        }
        return switch self {
        case .write(let actions): "write [\(list(actions))]"
        case .rollback(let actions): "roll back [\(list(actions))]"
        case .read(let actions): "read [\(list(actions))]"
        case .reopen: "close and open"
        }
    }
}
