/// The workloads. The names are those of the result lines.
enum Workload: String, CaseIterable, Sendable {
    /// Insert all rows, 10,000 to a transaction, then close.
    case load
    /// The same without secondary indexes, which are then built by opening with them.
    case loadIndexLast = "load.index-last"
    /// Compare every stored row with the generator, field by field.
    case check
    case open
    case getID = "get.id"
    case getIDRecord = "get.id.record"
    case getLogin = "get.login"
    case getLoginRecord = "get.login.record"
    case page = "page.20"
    case pageRecord = "page.20.record"
    case pageBack = "page.back.20"
    case pageBackRecord = "page.back.20.record"
    case page100 = "page.100"
    case page100Record = "page.100.record"
    case prefix = "prefix.20"
    case prefixRecord = "prefix.20.record"
    case scan
    /// Read one record, change a flag and write it; one durable commit.
    case toggle
    /// Read 20 neighbouring records and write them with the flag kept; one durable commit.
    case save = "save.20"
    /// ``getID`` in one task while another runs ``save`` without a pause.
    case mixed = "mixed.1"
}
