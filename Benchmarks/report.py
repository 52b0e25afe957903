"""Pairs of results and their summary."""

import statistics


class Report:
    def __init__(self, surroundings):
        self.surroundings = surroundings
        self.pairs = {}

    def add(self, workload, storage, rows, engine, theirs, ours):
        self.pairs.setdefault((rows, storage, workload), []).append((engine, theirs, ours))

    def contents(self):
        """Returns all results, for a file."""
        rows = [
            {**summary, "pairs": [{"engine": engine, "theirs": theirs, "ours": ours} for engine, theirs, ours in pairs]}
            for summary, pairs in ((self.summary(key), pairs) for key, pairs in self.pairs.items())
        ]
        return {**self.surroundings, "results": rows}

    def summary(self, key):
        rows, storage, workload = key
        pairs = self.pairs[key]
        ratios = sorted(ours[workload.figure] / theirs[workload.figure] for _, theirs, ours in pairs)
        ratio, target = statistics.median(ratios), workload.target(storage)
        ours = self.median(pairs, 2, workload.figure)
        reached = ours if workload.is_absolute else ratio
        return {
            "rows": rows, "storage": storage, "workload": workload.name, "beside": pairs[0][0],
            "theirs": self.median(pairs, 1, workload.figure), "ours": ours, "unit": workload.unit,
            "ratio": ratio, "least": ratios[0], "most": ratios[-1],
            "target": target, "is_absolute": workload.is_absolute,
            "missed": target is not None and reached > target,
            "p99_theirs": self.median(pairs, 1, "p99_us"), "p99_ours": self.median(pairs, 2, "p99_us"),
            "processor": self.processor_ratio(pairs),
            "peak_mib": self.median(pairs, 2, "peak_rss_kb", 1024), "peak_mib_theirs": self.median(pairs, 1, "peak_rss_kb", 1024),
            "anonymous_mib": self.median(pairs, 2, "rss_anon_kb", 1024),
            "foreign_cores": self.median(pairs, 2, "foreign_cores"),
            "writer_p50_theirs": self.median(pairs, 1, "w_p50_us"), "writer_p50_ours": self.median(pairs, 2, "w_p50_us"),
        }

    @staticmethod
    def median(pairs, side, member, divisor=1):
        values = [pair[side][member] / divisor for pair in pairs if pair[side].get(member) is not None]
        return statistics.median(values) if values else None

    @staticmethod
    def processor_ratio(pairs):
        """Returns the processor time per row as a ratio, ours to theirs, or None when it was too short to measure."""
        if any(side["cpu_s"] <= 0.01 for _, *sides in pairs for side in sides):
            return None
        return statistics.median(
            (ours["cpu_s"] / ours["rows"]) / (theirs["cpu_s"] / theirs["rows"]) for _, theirs, ours in pairs)

    def text(self):
        lines = [f"{name:10} {value}" for name, value in self.surroundings.items()]
        for rows in dict.fromkeys(key[0] for key in self.pairs):
            lines += ["", f"{rows} rows", self.HEADING]
            lines += [self.line(self.summary(key)) for key in self.pairs if key[0] == rows]
        missed = sum(self.summary(key)["missed"] for key in self.pairs)
        return "\n".join(lines + ["", f"{missed} of {len(self.pairs)} targets missed (!)"])

    HEADING = (f"{'storage':9}{'workload':20}{'beside':>7}{'engine':>11}{'ours':>11}    ratio {'(spread)':13}{'target':>8}"
               f"{'p99 engine':>12}{'ours':>9}{'cpu':>6}{'peak MiB':>10}{'ours':>7}{'anon':>7}{'others':>8}")

    def line(self, row):
        mark = "!" if row["missed"] else " "
        if row["target"] is None:
            target = "-"
        else:
            target = f"{row['target'] / 1000:.3g} ms" if row["is_absolute"] else f"{row['target']:.2f}"
        spread = f"({row['least']:.2f}..{row['most']:.2f})"
        line = (f"{row['storage']:9}{row['workload']:20}{row['beside']:>7}{self.amount(row, 'theirs')}"
                f"{self.amount(row, 'ours')}  {row['ratio']:7.2f} {spread:13}{target:>8}{mark}")
        line += f"{self.number(row['p99_theirs'], 11)}{self.number(row['p99_ours'], 9)}{self.number(row['processor'], 6)}"
        line += f"{self.number(row['peak_mib_theirs'], 10, 0)}{self.number(row['peak_mib'], 7, 0)}"
        line += f"{self.number(row['anonymous_mib'], 7, 0)}{self.number(row['foreign_cores'], 8)}"
        if row["writer_p50_ours"]:
            line += f"  writer p50 {row['writer_p50_theirs'] or 0:.0f} us, ours {row['writer_p50_ours']:.0f}"
        return line

    @staticmethod
    def amount(row, side):
        return f"{row[side]:9.2f} {row['unit']:1}" if row["unit"] == "us" else f"{row[side]:9.3f} {row['unit']:1}"

    @staticmethod
    def number(value, width, decimals=2):
        return f"{'-':>{width}}" if value is None else f"{value:{width}.{decimals}f}"
