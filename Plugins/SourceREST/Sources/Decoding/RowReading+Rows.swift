import PatchbayCore
import PatchbayDomain
import PatchbayJSON

extension RowReading {
    /// Reads a row and appends it.
    mutating func readRow(_ reader: inout JSONReader) throws {
        guard items.count < Self.rowsMax else {
            throw RowFault(
                "",
                "more than \(Self.rowsMax) \(shape.resource.plural) in a page; "
                    + "request smaller pages, or import a saved answer")
        }
        if let condition = shape.condition, !isSingle {
            let start = base + reader.offset
            if try !fulfils(condition, reader.offset) {
                try reader.skipValue()
                leftOut.append(start..<(base + reader.offset))
                isLastLeftOut = true
                place += 1
                return
            }
            isLastLeftOut = false
        }
        builder.begin(shape.resource)
        (seen, keyFault, unread.place) = (0, nil, 0)
        if shape.many != 0 { collected.removeAll(keepingCapacity: true) }
        let tree = shape.tree
        if !tree.leaves.isEmpty {
            try readValue(tree, &reader)
        } else if !tree.elements.isEmpty, try reader.peek() == .array {
            try readElements(tree, &reader)
        } else {
            try readMembers(tree, &reader, ofRow: true)
        }
        if shape.many != 0 { setCollected() }
        for number in shape.outside { try setOutside(shape.targets[number]) }
        try setAbsent()
        if let keyFault { return try refuse(keyFault) }
        var item = try builder.finish()
        if !shape.defaults.isEmpty { try setDefaults(&item) }
        if let fault = emptyKey(item) { return try refuse(fault) }
        if !shape.isOrdered || isSingle { items.append(item) } else { try append(item) }
        place += 1
    }

    /// Whether the row that begins at an offset of the current reader fulfils the condition for rows to be kept.
    private func fulfils(_ condition: RowCondition, _ offset: Int) throws -> Bool {
        let start = base + offset
        var probe = JSONReader(body.span.bytes.extracting(start...))
        try probe.skipValue()
        let found = BodyValue(at: condition.path, in: Array(body[start..<(start + probe.offset)]))
        let isFulfilled = condition.value.map { found?.shown == $0 } ?? (found?.isEmpty == false)
        return isFulfilled != condition.isNegated
    }

    /// Leaves out the current row of a list. It occupies a position, like any row.
    private mutating func refuse(_ fault: RowFault) throws {
        guard isInArray, !isSingle else { throw fault }
        if refusal == nil { refusal = RowFault(fault, inRow: place) }
        refused += 1
        place += 1
    }

    /// Rows of an ordered list ascend; equal duplicates count once.
    private mutating func append(_ item: Item) throws {
        if let lastOrder, order <= lastOrder {
            if items.contains(item) { return }
            throw fault(
                shape.targets[shape.orderPlace!],
                "\(order) is not greater than \(lastOrder), but pages must be in ascending order")
        }
        lastOrder = order
        items.append(item)
    }

    /// The answer of a row's own address does not contain its position in a list or the list's parent, so the stored
    /// values stay.
    private mutating func setOutside(_ target: RowShape.Target) throws {
        if isSingle, shape.required & (1 << UInt64(target.place)) != 0 { throw absent(target) }
        seen |= 1 << UInt64(target.place)
        if isSingle { return }
        let field = shape.resource.fields[target.place]
        switch target.origin {
        case .path: break
        case .place: builder.set(field, Int64(place))
        case .memberName where !isMemberExact:
            if keyFault == nil { keyFault = fault(target, "the member's name cannot be stored as a key") }
        case .memberName where target.type == .integer:
            guard let id = memberName.flatMap({ Int64(id: $0) }) else {
                throw fault(target, "expected a whole number as the member's name")
            }
            builder.set(field, id)
        case .memberName: builder.set(field, memberName.map { .text($0) })
        case .parent(let name): builder.set(field, parent?[name])
        case .argument(let name): try setArgument(argument(name), field, target)
        }
    }

    private mutating func setArgument(
        _ value: String?, _ field: ResourceField, _ target: RowShape.Target
    ) throws {
        guard let value else {
            throw fault(
                target, "expected an argument of the list, which rows from a file and single rows have not")
        }
        guard target.type == .integer else { return builder.set(field, .text(value)) }
        guard let number = Int64(id: value) else {
            throw fault(target, "expected a whole number as the argument")
        }
        builder.set(field, number)
    }

    /// Sets missing fields to null. A missing required field is an error. A detail field of a list row stays unknown,
    /// and so does any field of a search result.
    private mutating func setAbsent() throws {
        everSeen |= seen
        var missing = shape.all & ~seen
        if !isSingle { missing &= ~shape.mayBeAbsent | shape.required }
        while missing != 0 {
            let target = shape.targets[missing.trailingZeroBitCount]
            missing &= missing - 1
            if shape.required & (1 << UInt64(target.place)) != 0 {
                let isKey = shape.keys & (1 << UInt64(target.place)) != 0
                guard isKey || keyFault != nil, target.place != shape.orderPlace else { throw absent(target) }
                if keyFault == nil { keyFault = absent(target) }
                continue
            }
            builder.setNull(place: target.place, position: target.position)
        }
    }

    /// The fields that a list should have, but no row has.
    var absentNames: Set<String> {
        let absent = shape.all & ~(everSeen | shape.mayBeAbsent | shape.required)
        return Set(shape.targets.filter { absent & (1 << UInt64($0.place)) != 0 }.map(\.name))
    }

    /// Sets missing values that can be derived from others.
    private mutating func setDefaults(_ item: inout Item) throws {
        for (place, value) in shape.defaults {
            let field = shape.resource.fields[place]
            guard item[field] == nil else { continue }
            if let text = value(item) {
                builder.set(field, text)
                item = try builder.finish()
            } else if shape.targets[place].isRequired {
                throw absent(shape.targets[place])
            }
        }
    }

    /// Counts by the names of their fields.
    func byName(_ counts: [Int: Int]) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: counts.map { (shape.targets[$0.key].name, $0.value) })
    }

    /// An empty text is not a key, because neither a command nor an address can name the row.
    private func emptyKey(_ item: Item) -> RowFault? {
        guard let key = shape.textKey, item.withRow({ $0.bytes(key.position).byteCount == 0 }) else {
            return nil
        }
        return fault(shape.targets[key.place], "expected a text, found an empty one")
    }
}

/// The rows of a list's answer.
struct RowsRead {
    let items: [Item]
    /// The number of places that the rows take up in the list, including nulls, duplicates and refused rows.
    let count: Int
    /// The first refused row; nil when none was.
    let refusal: RowFault?
    let refused: Int
    /// The number of values that became null because of their type, by field.
    let emptied: [String: Int]
    /// The number of texts that were altered, because they contain characters that cannot be stored, by field.
    let altered: [String: Int]
    /// The fields that no row has.
    let absent: Set<String>
    /// The members of rows that the definition does not read.
    let unread: [String]
    let body: [UInt8]
    /// The places in the body of the rows that the definition leaves out (`NAME.where`).
    let leftOut: [Range<Int>]
    /// Whether the last of these is the last row, and not the last of ``items``.
    let isLastLeftOut: Bool

    /// The JSON of the last row if the definition leaves it out; nil if it is the last of ``items``.
    var lastLeftOut: [UInt8]? { isLastLeftOut ? leftOut.last.map { Array(body[$0]) } : nil }

    /// The reason why rows are missing; nil when none was refused.
    func shortfall(of resource: Resource) -> Shortfall? {
        refusal.map {
            Shortfall(
                .keys,
                "\(refused) of \(count) \(resource.plural) of a page \(refused == 1 ? "was" : "were") left out, "
                    + "because they cannot be identified: \($0.sentence)")
        }
    }
}

/// Ids, which an API may send as numbers or as texts whatever the definition declares, and other numbers in texts.
extension RowReading {
    /// Whether a field identifies the row, and its value is a number.
    func isNumericID(_ number: Int, _ reader: inout JSONReader) throws -> Bool {
        guard shape.ids & (1 << UInt64(number)) != 0 else { return false }
        return try reader.peek() == .number
    }

    /// Reads a number as a text. A whole number of 64 bits has one spelling, because `47` and `47.0` are the same id;
    /// any other number keeps all its digits, as written.
    mutating func readDigits(_ number: Int, _ position: Int, _ reader: inout JSONReader) throws {
        let start = reader.offset
        if let whole = try? reader.readInteger() {
            scratch = Array(String(whole).utf8)
        } else {
            try reader.skipValue()
            scratch = Array(body[base + start..<base + reader.offset])
        }
        RowReading.clean(&scratch, bytesMax: shape.targets[number].bytesMax)
        setScratch(number, position)
    }

    /// Reads a text that is a whole number in JSON, such as `47` or `47.0`. An id must be spelled like the first,
    /// because a source may use `47.0` or `007` for another row.
    static func integer(ofText reader: inout JSONReader, isID: Bool) throws -> Int64 {
        let start = reader.offset
        let text = try reader.readString()
        if let value = isID ? Int64(id: text) : Int64(json: text) { return value }
        let advice = isID ? "; ids that are texts need the type \"text\"" : ""
        throw JSONError(message: "expected a whole number, found a string" + advice, offset: start)
    }

    /// Reads a text that is a JSON number, such as a price.
    static func real(ofText reader: inout JSONReader) throws -> Double {
        let start = reader.offset
        let text = Array(try reader.readString().utf8)
        var inner = JSONReader(text.span.bytes)
        do {
            let value = try inner.readDouble()
            try inner.finish()
            return value
        } catch {
            throw JSONError(message: "expected a number, found a string", offset: start)
        }
    }
}

extension Int64 {
    /// Reads a text that is a whole number in JSON, in any spelling.
    init?(json text: String) {
        let bytes = Array(text.utf8)
        var reader = JSONReader(bytes.span.bytes)
        // Any fault means that the text is not such a number.
        guard let value = try? reader.readInteger(), reader.offset == bytes.count else { return nil }
        self = value
    }

    /// Reads a text that is exactly the decimal spelling of the number.
    init?(id text: String) {
        guard let value = Int64(text), String(value) == text else { return nil }
        self = value
    }
}
