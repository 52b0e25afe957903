import PatchbayCore

/// Builds items from a source's values, one after another, in a buffer that it reuses.
///
///     var builder = ItemBuilder()
///     builder.begin(resource)
///     builder.set(field, .integer(42))
///     let item = try builder.finish()
///
/// A field that is set to a value or to null is known; one that is not set was not in the answer. ``finish()`` throws
/// if a value has another type than its field.
public struct ItemBuilder: ~Copyable {
    private var builder = RowBuilder()
    private var known: FieldSet = []
    private var resource: Resource?
    /// Why a value does not fit its field; nil while all fit.
    private var misfit: String?

    /// Creates a builder; call ``begin(_:)`` before setting fields.
    public init() {}

    /// Starts an item and discards the previous one.
    public mutating func begin(_ resource: Resource) {
        self.resource = resource
        known = []
        misfit = nil
        builder.begin(resource.collection)
    }

    /// Sets a field to null. ``finish()`` throws if the field is part of the key.
    public mutating func setNull(_ field: ResourceField) {
        setNull(place: field.place, position: field.position)
    }

    /// Sets an integer, a boolean (0 or 1) or a time (milliseconds).
    public mutating func set(_ field: ResourceField, _ value: Int64) {
        check(field, .integer)
        set(place: field.place, position: field.position, value)
    }

    /// Sets a real number. ``finish()`` throws if it is NaN.
    public mutating func set(_ field: ResourceField, _ value: Double) {
        check(field, .real)
        set(place: field.place, position: field.position, value)
    }

    /// Sets a text or JSON from UTF-8 without U+0000.
    public mutating func set(_ field: ResourceField, utf8: RawSpan) {
        check(field, .text)
        set(place: field.place, position: field.position, utf8: utf8)
    }

    /// Sets a text or JSON. ``finish()`` throws if it contains U+0000.
    public mutating func set(_ field: ResourceField, _ text: String) {
        check(field, .text)
        note(field.place)
        builder.set(field.position, text)
    }

    /// Sets a value of the field's type; nil sets null.
    public mutating func set(_ field: ResourceField, _ value: ItemValue?) {
        switch value {
        case nil: setNull(field)
        case .text(let text), .json(let text): set(field, text as String)
        case .integer(let number): set(field, number)
        case .real(let number): set(field, number)
        case .boolean(let isTrue): set(field, isTrue ? 1 : 0 as Int64)
        case .time(let time): set(field, time.milliseconds)
        }
    }

    private mutating func check(_ field: ResourceField, _ type: FieldType) {
        guard field.type.fieldType != type, misfit == nil, let resource else { return }
        let given = "\(type == .integer ? "an" : "a") \(type.rawValue)"
        misfit = "\(resource.name).\(field.name) is \(given); \(field.type.rawValue) is wanted"
    }

    @inline(__always)
    private mutating func note(_ place: Int) { known.formUnion(FieldSet(rawValue: 1 << UInt64(place))) }

    // These take positions, for decoders: passing a field would copy it each time.

    package mutating func setNull(place: Int, position: Int) {
        note(place)
        builder.setNull(position)
    }

    package mutating func set(place: Int, position: Int, _ value: Int64) {
        note(place)
        builder.set(position, value)
    }

    package mutating func set(place: Int, position: Int, _ value: Double) {
        note(place)
        builder.set(position, value)
    }

    package mutating func set(place: Int, position: Int, utf8: RawSpan) {
        note(place)
        builder.set(position, utf8: utf8)
    }

    /// The finished item.
    ///
    /// - Throws: `invalidValue` with the field's name when a part of the key is missing or a value cannot be stored.
    public mutating func finish() throws -> Item {
        guard let resource else { preconditionFailure("finish() before begin(_:)") }
        if let misfit { throw PatchbayError(.invalidValue, misfit) }
        let bytes = try builder.finish().copyBytes()
        return Item(bytes: bytes, known: known, of: resource)
    }
}
