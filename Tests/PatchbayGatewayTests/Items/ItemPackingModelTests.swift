import PatchbayCore
import PatchbayDomain
@testable import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("Packed rows and their model")
struct ItemPackingModelTests {
    /// The expected values of a row after each step.
    private struct Model {
        var values: [String: ItemValue] = [:]
        var edits: [String: String] = [:]
        var state = ItemState()

        /// An empty edit shows null.
        func shown(_ name: String) -> String? {
            guard let edit = edits[name] else { return values[name]?.description }
            return edit.isEmpty ? nil : edit
        }
    }

    private static let texts = [
        "", "a", "Ada", "ÉCOLE", "cafe\u{301}", "김", String(repeating: "Éß", count: 150),
    ]

    @Test("a row equals its model after each of many random steps", arguments: 0..<8)
    func randomSteps(_ round: Int) async throws {
        var random = SeededGenerator.fromEnvironment()
        for _ in 0..<round { _ = random.next() }
        let resource = try resource(&random)
        var model = Model(), stored: Item?
        for step in 1...200 {
            let place = "seed \(random.seed), round \(round), step \(step)"
            var packing: ItemPacking
            if let known = stored, random.oneIn(3) {
                packing = ItemPacking(known, over: nil, state: known.state)
            } else {
                let item = try change(&model, resource, isNew: stored == nil, &random)
                packing = ItemPacking(item, over: stored, state: stored?.state ?? ItemState())
            }
            note(&model, &packing, &random)
            if packing.stored?.state.detailFetchedAt != nil, packing.state.detailFetchedAt == nil {
                // The details may be another row's.
                let known = resource.fields.filter { packing.item.known.contains(position: $0.place) }
                model.values = model.values.filter { name, _ in known.contains { $0.name == name } }
            }
            edit(&model, &packing, &random)
            stored = try pack(packing)
            try check(#require(stored), model, "\(place)")
        }
    }

    @Test("edits of a field that may not be edited are kept but not shown, until it may be edited again")
    func unusedEdits() throws {
        let resource = try Resource(Person.declaration, api: "test")
        func item(_ name: String, of resource: Resource) throws -> Item {
            var builder = ItemBuilder()
            builder.begin(resource)
            builder.set(try #require(resource.field(named: "id")), .integer(7))
            builder.set(try #require(resource.field(named: "name")), .text(name))
            return try builder.finish()
        }
        var packing = ItemPacking(try item("Ada", of: resource), over: nil, state: ItemState())
        packing.edits = ["name": "A. L."]
        let edited = try pack(packing)
        var declaration = Person.declaration
        declaration.editable = ["bio"]
        let later = try Resource(declaration, api: "test", stored: resource.collection)
        let stored = Item(bytes: edited.bytes, known: .all, of: later)
        let packed = try pack(ItemPacking(item("Ada King", of: later), over: stored, state: stored.state))
        for item in [stored, packed] {
            let name = try #require(later.field(named: "name"))
            #expect(item.override(of: name) == nil && item.shown(name) == item[name])
        }
        let again = Item(bytes: packed.bytes, known: .all, of: resource)
        let name = try #require(resource.field(named: "name"))
        #expect(again.shown(name) == .text("A. L.") && again[name] == .text("Ada King"))
    }

    @Test("columns that only another definition of the resource has stay as they are")
    func undeclared() throws {
        var larger = Person.declaration
        larger.fields += [FieldDeclaration("state", .text), FieldDeclaration("size", .real)]
        larger.title = ["state"]
        let full = try Resource(larger, api: "test")
        var builder = ItemBuilder()
        builder.begin(full)
        builder.set(try #require(full.field(named: "id")), .integer(7))
        builder.set(try #require(full.field(named: "state")), .text("open"))
        builder.set(try #require(full.field(named: "size")), .real(1.5))
        let first = try pack(ItemPacking(try builder.finish(), over: nil, state: ItemState()))
        let small = try Resource(Person.declaration, api: "test", stored: full.collection)
        builder.begin(small)
        builder.set(try #require(small.field(named: "id")), .integer(7))
        builder.set(try #require(small.field(named: "name")), .text("Ada"))
        let stored = Item(bytes: first.bytes, known: .all, of: small)
        let second = try pack(ItemPacking(builder.finish(), over: stored, state: stored.state))
        let seen = Item(bytes: second.bytes, known: .all, of: full)
        #expect(seen.text("state") == "open" && seen.text("name") == "Ada")
        #expect(try seen[#require(full.field(named: "size"))] == .real(1.5))
        // The folded title is made again when the definition that has it is used.
        let folded = try #require(full.field(named: "state")?.foldedPosition)
        #expect(seen.withRow { $0.isNull(folded) })
    }

    /// The resource as declared, or bound to a storage whose first definition had other fields.
    private func resource(_ random: inout SeededGenerator) throws -> Resource {
        let declaration = Person.declaration
        if random.oneIn(2) { return try Resource(declaration, api: "test") }
        var older = declaration
        older.fields = declaration.fields.filter { ["id", "handle"].contains($0.name) }
        older.fields += declaration.fields.filter { !["id", "handle"].contains($0.name) }.shuffled(
            using: &random
        )
        .prefix(3)
        older.fields.append(FieldDeclaration("removed", .text))
        older.editable = []
        older.title = ["handle"]
        let stored = try Resource(older, api: "test").collection
        return try Resource(declaration, api: "test", stored: stored)
    }

    /// An answer with some of the fields.
    private func change(
        _ model: inout Model, _ resource: Resource, isNew: Bool, _ random: inout SeededGenerator
    ) throws -> Item {
        var builder = ItemBuilder()
        builder.begin(resource)
        for field in resource.fields {
            let isKey = field.name == "id"
            if !isKey, random.oneIn(2) { continue }
            let value = isKey ? .integer(7) : self.value(of: field.type, &random)
            builder.set(field, value)
            model.values[field.name] = value
        }
        return try builder.finish()
    }

    private func value(of type: ValueType, _ random: inout SeededGenerator) -> ItemValue? {
        if random.oneIn(4) { return nil }
        let number = Int64.random(in: .min ... .max, using: &random)
        return switch type {
        case .text: .text(random.pick(Self.texts))
        case .integer: .integer(number)
        case .real: .real(Double.random(in: -10...10, using: &random))
        case .boolean: .boolean(random.oneIn(2))
        case .time: .time(Timestamp(milliseconds: number))
        case .json: .json(random.pick(["[]", "{\"a\":[1,null]}", "\"é\""]))
        }
    }

    private func note(_ model: inout Model, _ packing: inout ItemPacking, _ random: inout SeededGenerator) {
        let time = Timestamp(milliseconds: Int64.random(in: 0...100, using: &random))
        for step in 0..<5 where random.oneIn(3) {
            func change(_ state: inout ItemState) {
                switch step {
                case 0: state.list(at: time, from: nil)
                case 1: state.markGone(at: time)
                case 2: state.refuse(StoredRefusal(Refusal(.missing), since: time))
                case 3: state.confirm(at: time)
                default: state.detailValidator = Validator(entityTag: "\"\(time)\"", partition: "p")
                }
            }
            change(&model.state)
            change(&packing.state)
        }
    }

    private func edit(_ model: inout Model, _ packing: inout ItemPacking, _ random: inout SeededGenerator) {
        for field in packing.item.resource.editable where random.oneIn(3) {
            let edit = random.oneIn(3) ? nil : random.pick(Self.texts)
            packing.edits.updateValue(edit, forKey: field.name)
            model.edits[field.name] = edit
        }
    }

    private func pack(_ packing: ItemPacking) throws -> Item {
        var builder = RowBuilder()
        packing.write(to: &builder)
        return Item(try builder.finish(), of: packing.item.resource)
    }

    private func check(_ item: Item, _ model: Model, _ place: Comment) throws {
        #expect(item.state == model.state, place)
        for field in item.resource.fields {
            try #require(item[field] == model.values[field.name], place)
            #expect(item.override(of: field) == model.edits[field.name], place)
            #expect(item.shown(field)?.description == model.shown(field.name), place)
        }
        for field in item.resource.title {
            guard let position = field.foldedPosition else { continue }
            let folded = item.withRow { $0.isNull(position) ? nil : $0.text(position) }
            let wanted = (model.shown(field.name) ?? "").caseFolded.beginning(
                bytesMax: Resource.foldedBytesMax)
            #expect(folded.map { Array($0.utf8) } == Array(wanted.utf8), place)
        }
        let titles = ["name", "handle"].compactMap(model.shown).filter { !$0.isEmpty }
        #expect(item.title == titles.first ?? item.handle, place)
        #expect(item.key == 7 && item.keyText == "7", place)
    }
}
