import ArgumentParser
import Patchbay
import PatchbayDomain

/// Options and arguments that depend on a definition.
///
/// The parser finds the options of a type through its mirror and reads their values through a decoder. A type with a
/// custom mirror can therefore have as many options as a definition declares.
protocol DeclaredArguments: ParsableArguments, CustomReflectable {
    /// The options with their coding keys.
    static var declared: [(word: String, option: Any)] { get }
}

extension DeclaredArguments {
    var customMirror: Mirror {
        Mirror(self, children: Self.declared.map { (label: $0.word as String?, value: $0.option) })
    }
}

/// The coding key of a declared option.
struct OptionWord: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ word: String) { stringValue = word }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
}

/// A condition on a definition, without which some options make no sense.
protocol OptionCondition: Sendable {
    static var holds: Bool { get }
}

/// Options that a command has only under a condition.
struct When<Condition: OptionCondition, Options: ParsableArguments>: DeclaredArguments {
    /// The parsed options; nil when the condition does not hold.
    private(set) var options: Options?

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: OptionWord.self)
        guard Condition.holds else { return }
        options = try container.decode(OptionGroup<Options>.self, forKey: OptionWord("options")).wrappedValue
    }

    static var declared: [(word: String, option: Any)] {
        Condition.holds ? [("options", OptionGroup<Options>())] : []
    }
}

extension When: Sendable where Options: Sendable {}

enum IsOrdered<Place: ResourcePlace>: OptionCondition {
    static var holds: Bool { Place.declaration.order != nil }
}

enum IsLinked<Place: ResourcePlace>: OptionCondition {
    static var holds: Bool { Place.declaration.order == nil }
}

enum HasWebsite<Place: ResourcePlace>: OptionCondition {
    static var holds: Bool { Place.declaration.website != nil }
}

/// Whether the details of a list's rows can be fetched.
enum ListHasShow<Place: ResourcePlace>: OptionCondition {
    static var holds: Bool { ResourceList.all[Place.number].resource.declaration.show != nil }
}

enum HasEdits<Place: ResourcePlace>: OptionCondition {
    static var holds: Bool { !Place.declaration.editable.isEmpty }
}

enum HasSeveralEdits<Place: ResourcePlace>: OptionCondition {
    static var holds: Bool { Place.declaration.editable.count > 1 }
}
