internal import PatchbayCore
internal import PatchbayJSON

extension JSONWriter {
    mutating func append(_ settings: CompareSettings) {
        object { writer in
            writer.key("rows")
            writer.array(settings.rows) { $0.integer(Int64($1)) }
            writer.key("workloads")
            writer.array(settings.workloads) { $0.string($1) }
            writer.field("seconds", settings.seconds)
            writer.field("threads", settings.threads)
            writer.field("rounds", settings.rounds)
            writer.field("seed", String(settings.seed))
            writer.field("durability", settings.durability?.rawValue)
            writer.field("recording", settings.recording)
            writer.key("commandLine")
            writer.array(settings.commandLine) { $0.string($1) }
            writer.field("startedAt", settings.startedAt.description)
        }
    }

    mutating func append(_ machine: Machine) {
        object { writer in
            writer.field("processor", machine.processor)
            writer.field("cores", machine.cores)
            writer.field("memoryBytes", machine.memoryBytes)
            writer.field("kernel", machine.kernel)
            writer.field("distribution", machine.distribution)
            writer.field("fileSystem", machine.fileSystem)
        }
    }

    mutating func append(_ pair: NameAndValue) {
        object { writer in
            writer.field("name", pair.name)
            writer.field("value", pair.value)
        }
    }

    mutating func append(_ subject: Subject) {
        object { writer in
            writer.field("name", subject.name)
            writer.field("storage", subject.storage)
            writer.key("settings")
            writer.array(subject.settings) { $0.append($1) }
        }
    }

    mutating func append(_ result: WorkloadResult) {
        object { writer in
            writer.field("workload", result.workload)
            writer.field("summary", result.summary)
            writer.field("subject", result.subject)
            writer.field("rows", result.rows)
            writer.field("digest", result.digest)
            writer.field("bytesOnDisk", result.bytesOnDisk)
            writer.field("skipped", result.skipped)
            writer.key("rounds")
            writer.array(result.rounds) { $0.append($1) }
        }
    }

    mutating func append(_ round: Round) {
        object { writer in
            writer.field("operations", round.operations)
            writer.field("seconds", round.seconds)
            writer.field("processorSeconds", round.processorSeconds)
            writer.field("peakMemoryBytes", round.peakMemoryBytes)
            writer.field("writtenBytes", round.writtenBytes)
            writer.field("writeCalls", round.writeCalls)
            writer.field("flushes", round.flushes)
            writer.key("latencies")
            writer.append(round.latencies)
        }
    }

    mutating func append(_ latencies: Latencies) {
        object { writer in
            writer.field("p50", latencies.p50)
            writer.field("p90", latencies.p90)
            writer.field("p99", latencies.p99)
            writer.field("p999", latencies.p999)
            writer.field("max", latencies.max)
            writer.key("buckets")
            writer.array(latencies.buckets) { writer, bucket in
                writer.array([bucket.upToNanoseconds, bucket.count]) { $0.integer(Int64($1)) }
            }
        }
    }

    mutating func append(_ difference: Difference) {
        object { writer in
            writer.field("workload", difference.workload)
            writer.field("rows", difference.rows)
            writer.field("subject", difference.subject)
            writer.field("reference", difference.reference)
            writer.field("query", difference.query)
            writer.field("key", difference.key)
            writer.field("field", difference.field)
            writer.field("expected", difference.expected)
            writer.field("found", difference.found)
        }
    }

    mutating func append(_ failure: SubjectFailure) {
        object { writer in
            writer.field("subject", failure.subject)
            writer.field("workload", failure.workload)
            writer.field("rows", failure.rows)
            writer.field("code", failure.code.rawValue)
            writer.field("message", failure.message)
        }
    }
}

extension JSONWriter {
    mutating func object(_ fields: (inout JSONWriter) -> Void) {
        beginObject()
        fields(&self)
        endObject()
    }

    mutating func array<Element>(_ elements: [Element], _ append: (inout JSONWriter, Element) -> Void) {
        beginArray()
        for element in elements { append(&self, element) }
        endArray()
    }

    mutating func field(_ name: StaticString, _ value: String?) {
        key(name)
        if let value { string(value) } else { null() }
    }

    mutating func field(_ name: StaticString, _ value: Int?) {
        key(name)
        if let value { integer(Int64(value)) } else { null() }
    }

    mutating func field(_ name: StaticString, _ value: Bool) {
        key(name)
        bool(value)
    }

    /// JSON has no infinity; times that a clock gives are finite.
    mutating func field(_ name: StaticString, _ value: Double) {
        key(name)
        real(value)
    }
}
